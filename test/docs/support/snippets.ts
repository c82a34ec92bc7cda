import 'fake-indexeddb/auto'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { IDBFactory } from 'fake-indexeddb'
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, test, vi } from 'vitest'

export const root = fileURLToPath(new URL('../../..', import.meta.url))

interface Snippet {
  readonly title: string
  readonly code: string
  /** Why it is only type-checked, from the comment `<!-- types only: … -->` above it. */
  readonly typesOnly: string | undefined
}

export const snippetsOf = (text: string): Snippet[] =>
  [...text.matchAll(/(?:<!-- types only: (.*?) -->\s*)?^```ts\n([\s\S]*?)^```$/gm)].map(
    ({ 1: typesOnly, 2: code = '', index }): Snippet => {
      const titles = [...text.slice(0, index).matchAll(/^#+ (.*)$/gm)]
      return { title: titles.at(-1)?.[1] ?? '', code, typesOnly }
    },
  )

/** The comments behind `console.log(…)`: what it prints, one call after the other. */
const promised = ({ code }: Snippet): string[] =>
  [...code.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].flatMap(([, text = '']) => text.split(', '))

/** Runs every block of a document, each going on from the first one, and holds it to what its comments say. */
export function runSnippets(document: string): void {
  const snippets = snippetsOf(readFileSync(join(root, document), 'utf8'))
  const [example] = snippets
  /** The imports of both come first, as they must. */
  function moduleOf({ code }: Snippet): string {
    if (code === example?.code) return `${code}await checkpointer.close()\n`
    const all = `${example?.code ?? ''}{\n${code}}\nawait checkpointer.close()\n`
    const imports = all.match(/^import .*$/gm) ?? []
    return `${imports.join('\n')}\n${all.replace(/^import .*$/gm, '')}`
  }
  // Inside the folder of the tests, so that aliases and packages are found; `temp/` is ignored by git.
  const temp = join(root, 'test/docs/temp')
  let folder: string
  const fileOf = (snippet: Snippet): string => join(folder, `block-${snippets.indexOf(snippet) + 1}.ts`)

  beforeAll(() => {
    mkdirSync(temp, { recursive: true })
    folder = mkdtempSync(join(temp, 'blocks-'))
    for (const snippet of snippets) writeFileSync(fileOf(snippet), moduleOf(snippet))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  beforeEach(() => void (globalThis.indexedDB = new IDBFactory()))

  test.each(snippets.filter(({ typesOnly }) => typesOnly === undefined))('$title', async (snippet) => {
    const printed = vi.spyOn(console, 'log').mockImplementation(() => {})
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => {})
    onTestFinished(() => void vi.restoreAllMocks())
    await import(/* @vite-ignore */ fileOf(snippet))
    const lines = printed.mock.calls.map((args) => args.map(String).join(' '))
    expect(lines.slice(snippet === example ? 0 : promisedByExample)).toEqual(promised(snippet))
    // Node has no Worker, and the default says so. Of what is shown as wrong more may be said.
    if (!snippet.code.includes('// WRONG'))
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
}
