import 'fake-indexeddb/auto'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { IDBFactory } from 'fake-indexeddb'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, test, vi } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const readme = readFileSync(join(root, 'README.md'), 'utf8')

interface Snippet {
  readonly title: string
  readonly code: string
  /** Why it is only type-checked, from the comment `<!-- types only: … -->` above it. */
  readonly typesOnly: string | undefined
}

const snippets = [...readme.matchAll(/(?:<!-- types only: (.*?) -->\s*)?^```ts\n([\s\S]*?)^```$/gm)].map(
  ({ 1: typesOnly, 2: code = '', index }): Snippet => {
    const titles = [...readme.slice(0, index).matchAll(/^#+ (.*)$/gm)]
    return { title: titles.at(-1)?.[1] ?? '', code, typesOnly }
  },
)
const [example, ...others] = snippets

/** What the README says: each block goes on from the example. The imports of both come first, as they must. */
function moduleOf({ code }: Snippet): string {
  if (code === example?.code) return `${code}await checkpointer.close()\n`
  const all = `${example?.code ?? ''}{\n${code}}\nawait checkpointer.close()\n`
  const imports = all.match(/^import .*$/gm) ?? []
  return `${imports.join('\n')}\n${all.replace(/^import .*$/gm, '')}`
}

/** The comments behind `console.log(…)`: what it prints, one call after the other. */
const promised = ({ code }: Snippet): string[] =>
  [...code.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].flatMap(([, text = '']) => text.split(', '))

describe('README.md', () => {
  // Inside the folder of the tests, so that aliases and packages are found; `temp/` is ignored by git.
  const temp = join(root, 'test/docs/temp')
  let folder: string
  const fileOf = (snippet: Snippet): string => join(folder, `block-${snippets.indexOf(snippet) + 1}.ts`)

  beforeAll(() => {
    mkdirSync(temp, { recursive: true })
    folder = mkdtempSync(join(temp, 'readme-'))
    for (const snippet of snippets) writeFileSync(fileOf(snippet), moduleOf(snippet))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  beforeEach(() => void (globalThis.indexedDB = new IDBFactory()))

  it('has the example and the blocks that go on from it', () => {
    expect(example?.title).toBe('In ten lines')
    expect(example?.code.match(/^(?!\s*$|import ).+$/gm)?.length).toBeLessThanOrEqual(10)
    expect(others.length).toBeGreaterThan(10)
    expect(snippets).toHaveLength(readme.match(/^```ts/gm)?.length ?? 0)
  })

  test.each(snippets.filter(({ typesOnly }) => typesOnly === undefined))('$title', async (snippet) => {
    const printed = vi.spyOn(console, 'log').mockImplementation(() => {})
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => {})
    onTestFinished(() => void vi.restoreAllMocks())
    await import(/* @vite-ignore */ fileOf(snippet))
    const lines = printed.mock.calls.map((args) => args.map(String).join(' '))
    expect(lines.slice(snippet === example ? 0 : promisedByExample)).toEqual(promised(snippet))
    // Node has no Worker, and the default says so.
    for (const [warning] of warned.mock.calls) expect(warning).toMatchObject({ code: 'WORKER_LOST' })
  })
  const promisedByExample = example ? promised(example).length : 0

  it('has blocks whose types are right', () => {
    const config = { extends: join(root, 'tsconfig.json'), include: ['*.ts'], exclude: [] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const tsc = join(root, 'node_modules/.bin/tsc')
    const { stdout, stderr } = spawnSync(tsc, ['-p', folder, '--noEmit'], { cwd: root, encoding: 'utf8' })
    expect(stdout + stderr).toBe('')
  })

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
    'docs/errors.md',
    'docs/format.md',
    'docs/export.md',
    'docs/langgraph.md',
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
