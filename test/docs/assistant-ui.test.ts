import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

// The examples are run where they belong, in a real browser: test/browser/assistant-ui/.
const read = (path: string): string => readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8')
const document = read('../../docs/assistant-ui.md')
const blocks = [...document.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code)

it.each(['page', 'list', 'ai-sdk', 'tabs'])(
  'shows the example that is tested, of at most 30 lines: %s',
  (name) => {
    const example = read(`./examples/assistant-ui/${name}.ts`)
    expect(blocks).toContain(example)
    expect(example.trim().split('\n').length).toBeLessThanOrEqual(30)
  },
)

it('compares it with the same example without it', () => {
  const without = read('./examples/assistant-ui/page.ts')
    .replace(/^import .* from 'forkpoint.*\n/gm, '')
    .replace(/\nconst checkpointer[\s\S]*?'chat'.*\n/, '')
    .replace('history.model, { adapters: { history } }', 'model')
  expect(read('./examples/assistant-ui/without.ts')).toBe(without)
})

it('names the versions that are tested', () => {
  const { devDependencies } = JSON.parse(read('../../package.json')) as {
    devDependencies: Record<string, string>
  }
  const rows = [...document.matchAll(/^\| `([@\w/-]+)` \| ([\d.]+) \|$/gm)]
  expect(rows).toHaveLength(3)
  for (const [, name = '', version] of rows) expect(version).toBe(devDependencies[name])
})
