import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const document = readFileSync(join(root, 'docs/files.md'), 'utf8')
const [example = '', warned = ''] = [...document.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(
  ([, code = '']) => code,
)

it('the examples make a log, whose lines are what the document says', async () => {
  const temp = join(root, 'test/docs/temp')
  mkdirSync(temp, { recursive: true })
  const folder = mkdtempSync(join(temp, 'files-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'example.ts')
  const close = 'await checkpointer.close()\nawait storage.close()\n'
  writeFileSync(
    file,
    (example + warned + close).replaceAll(`'threads'`, JSON.stringify(join(folder, 'threads'))),
  )
  await import(/* @vite-ignore */ file)
  const lines = readFileSync(join(folder, 'threads/family-trip.jsonl'), 'utf8').trimEnd().split('\n')
  const nodes = lines.flatMap((line, n) => {
    const { sum, ...entry } = JSON.parse(line)
    expect(line.indexOf(`"sum":"${sum}",`)).toBe(1)
    expect(crc32Of(line.slice('{"sum":"01234567",'.length))).toBe(sum)
    expect(entry.n).toBe(n)
    const puts: { table: string; key: unknown[]; head: string }[] = entry.puts ?? []
    return puts
      .filter(({ table }) => table === 'checkpoints')
      .map(({ key, head }) => [key[1], JSON.parse(head.slice(head.indexOf('{'))).node])
  })
  expect(nodes).toEqual([
    [1, 'plan'],
    [2, 'search'],
  ])
})

/** By another implementation than ours. */
const crc32Of = (text: string): string =>
  execFileSync('python3', ['-c', 'import sys,zlib;print("%08x"%zlib.crc32(sys.stdin.buffer.read()))'], {
    input: text,
    encoding: 'utf8',
  }).trim()

it('names the versions that are tested', () => {
  const engines = JSON.parse(readFileSync(join(root, 'test/engines/package.json'), 'utf8')).dependencies
  const { node } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies
  expect(document).toContain(`Node ${node}, Bun ${engines.bun} and Deno ${engines['@deno/linux-x64-glibc']}`)
  const kv = readFileSync(join(root, 'docs/deno-kv.md'), 'utf8')
  expect(kv).toContain(`Deno ${engines['@deno/linux-x64-glibc']}`)
})
