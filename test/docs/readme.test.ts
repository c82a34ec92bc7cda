import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { root, runSnippets, snippetsOf } from './support/snippets.ts'

const readme = readFileSync(join(root, 'README.md'), 'utf8')
const snippets = snippetsOf(readme)
const [example, ...others] = snippets

/** The headings of a document, as links name them. */
const placesIn = (text: string): string[] =>
  [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-'),
  )

describe('README.md', () => {
  it('has the example and the blocks that go on from it', () => {
    expect(example?.title).toBe('In ten lines')
    expect(example?.code.match(/^(?!\s*$|import ).+$/gm)?.length).toBeLessThanOrEqual(10)
    expect(others.length).toBeGreaterThanOrEqual(10)
    expect(snippets).toHaveLength(readme.match(/^```ts/gm)?.length ?? 0)
  })

  runSnippets('README.md')
})

describe('docs/guarantees.md', () => {
  const text = readFileSync(join(root, 'docs/guarantees.md'), 'utf8')
  const guarantees = [...text.matchAll(/^\| .* \| `((?:src|test)\/.*?)`: "(.*)" \|$/gm)]

  test.each(guarantees.map(([, file, name]) => [file, name] as const))('%s holds "%s"', (file, name) => {
    const source = readFileSync(join(root, file ?? ''), 'utf8')
    expect(source).toContain(`'${name}'`)
  })

  it('has a test behind every promise', () => {
    const [, after = ''] = text.split('| promise | held by |\n| --- | --- |\n')
    expect(guarantees.length).toBeGreaterThan(40)
    expect(after.trimEnd().split('\n')).toHaveLength(guarantees.length)
  })
})

describe('docs/how-to.md', () => {
  it('begins with the example of README.md', () => {
    expect(snippetsOf(readFileSync(join(root, 'docs/how-to.md'), 'utf8'))[0]?.code).toBe(example?.code)
  })

  runSnippets('docs/how-to.md')
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

  test.each(documents)('%s leads to places that there are', (document) => {
    const text = readFileSync(join(root, document), 'utf8')
    const links = [...text.matchAll(/\]\((?!https?:)([^)#\s]*\.md)?#([^)\s]+)\)/g)]
    const lost = links.filter(([, path, place = '']) => {
      const there = path === undefined ? text : readFileSync(join(root, document, '..', path), 'utf8')
      return !placesIn(there).includes(place)
    })
    expect(lost.map(([link]) => link)).toEqual([])
  })

  it('explain every code of an error, each once, and no other', () => {
    const source = readFileSync(join(root, 'src/errors.ts'), 'utf8')
    const codes = [...source.matchAll(/^ {2}\| '([A-Z_]+)'$/gm)].map(([, code]) => code)
    const titles = readFileSync(join(root, 'docs/errors.md'), 'utf8').matchAll(/^## ([A-Z_]+)$/gm)
    expect([...titles].map(([, code]) => code)).toEqual(codes)
  })
})
