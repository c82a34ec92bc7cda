import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { previous } from './examples/ai-sdk/branches.ts'
import { site } from '../integrations/ai-sdk/ground.ts'

const read = (path: string): string => readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8')
const document = read('../../docs/ai-sdk.md')
const [example = '', branches = ''] = Array.from(
  document.matchAll(/^```ts\n([\s\S]*?)^```$/gm),
  ([, code]) => code,
)

/** What somebody writes who has nothing else. */
const PLAIN = 'const transport = new DirectChatTransport({ agent: new ToolLoopAgent({ model, tools }) })\n'

it('shows the example that is tested in browsers, of at most 30 lines', () => {
  expect(example.trim().split('\n').length).toBeLessThanOrEqual(30)
  expect(example).toBe(read('./examples/ai-sdk/page.ts'))
})

it('compares it with the same example without it', () => {
  const without = example
    .replace(/^import .* from 'forkpoint.*\n/gm, '')
    .replace(/const checkpointer[\s\S]*?\n\}\)\nconst messages.*\n/, PLAIN)
    .replace('transport, messages, resume', 'transport, resume')
  expect(read('./examples/ai-sdk/without.ts')).toBe(without)
})

it('shows how branches are gone through', async () => {
  expect(branches).toBe(read('./examples/ai-sdk/branches.ts'))
  let answers = 0
  const { chat, transport } = await site().page({ script: () => ({ text: [`answer ${++answers}`] }) })
  await chat.sendMessage({ text: 'Hello' })
  const [, first] = chat.messages
  await chat.regenerate()
  const shown = await previous(transport, 'c', chat.messages[1]?.id ?? '')
  expect(shown).toMatchObject({ at: 2, of: 2 })
  expect(shown.messages?.[1]).toMatchObject({ id: first?.id })
  expect((await previous(transport, 'c', first?.id ?? '')).messages).toBeUndefined()
})

it('names the versions that are tested', () => {
  const manifest: { devDependencies: Record<string, string> } = JSON.parse(read('../../package.json'))
  const rows = [...document.matchAll(/^\| `([\w@/-]+)` \| ([\d.]+) \|$/gm)]
  expect(rows.map(([, name]) => name)).toEqual(['ai', '@ai-sdk/react'])
  for (const [, name = '', version] of rows) expect(version).toBe(manifest.devDependencies[name])
})
