import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { root, runSnippets, snippetsOf } from './support/snippets.ts'

const readme = readFileSync(join(root, 'README.md'), 'utf8')
const snippets = snippetsOf(readme)
const [example, ...others] = snippets

describe('README.md', () => {
  it('has the example and the blocks that go on from it', () => {
    expect(example?.title).toBe('In ten lines')
    expect(example?.code.match(/^(?!\s*$|import ).+$/gm)?.length).toBeLessThanOrEqual(10)
    expect(others.length).toBeGreaterThan(10)
    expect(snippets).toHaveLength(readme.match(/^```ts/gm)?.length ?? 0)
  })

  runSnippets('README.md')

  const guarantees = [...readme.matchAll(/^\| .* \| `((?:src|test)\/.*?)`: "(.*)" \|$/gm)]
  test.each(guarantees.map(([, file, name]) => [file, name] as const))('%s holds "%s"', (file, name) => {
    const source = readFileSync(join(root, file ?? ''), 'utf8')
    expect(source).toContain(`'${name}'`)
  })

  it('has a test behind every promise', () => {
    const [, after = ''] = readme.split('| promise | held by |\n| --- | --- |\n')
    expect(after.slice(0, after.indexOf('\n\n')).split('\n')).toHaveLength(guarantees.length)
  })
})

describe('the documents', () => {
  const documents = [
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    ...globSync('docs/**/*.md', { cwd: root }),
  ]

  test.each(documents)('%s names only files that there are', (document) => {
    const text = readFileSync(join(root, document), 'utf8')
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = '']) =>
      join(root, document, '..', path),
    )
    const named = [...text.matchAll(/`((?:src|test|scripts|demo|docs)\/[\w./-]+)`/g)].map(([, path = '']) =>
      join(root, path),
    )
    expect([...links, ...named].filter((path) => !existsSync(path))).toEqual([])
  })

  it('explain every code of an error, each once, and no other', () => {
    const source = readFileSync(join(root, 'src/errors.ts'), 'utf8')
    const codes = [...source.matchAll(/^ {2}\| '([A-Z_]+)'$/gm)].map(([, code]) => code)
    const titles = readFileSync(join(root, 'docs/errors.md'), 'utf8').matchAll(/^## ([A-Z_]+)$/gm)
    expect([...titles].map(([, code]) => code)).toEqual(codes)
  })
})
