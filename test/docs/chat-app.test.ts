import 'fake-indexeddb/auto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openCheckpointer, type Checkpointer } from 'forkpoint'
import { expect, it, onTestFinished, vi } from 'vitest'
import { root, snippetsOf } from './support/snippets.ts'

interface Chat {
  title: string
  messages: { role: string; text: string }[]
}

interface Guide {
  readonly checkpointer: Checkpointer
  readonly send: (chat: string, id: string, text: string, stored?: () => void) => Promise<{ status: string }>
}

/** The first block of the guide, as it stands. */
async function guide(): Promise<Guide> {
  const [block] = snippetsOf(readFileSync(join(root, 'docs/guides/chat-app.md'), 'utf8'))
  const temp = join(root, 'test/docs/temp')
  mkdirSync(temp, { recursive: true })
  const folder = mkdtempSync(join(temp, 'chat-app-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'chat-app.ts')
  writeFileSync(file, `${block?.code}\nexport { checkpointer, send }\n`)
  const print = vi.spyOn(console, 'log').mockImplementation(() => {})
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {}) // Node has no Worker
  const made = (await import(/* @vite-ignore */ file)) as Guide
  print.mockRestore()
  warn.mockRestore()
  onTestFinished(() => made.checkpointer.close())
  return made
}

it('`send` of docs/guides/chat-app.md loses no message behind an answer that was cut off', async () => {
  const { checkpointer, send } = await guide()
  const other = await openCheckpointer({ name: 'my-chats', worker: false }) // a tab that goes in mid-answer
  let begin = (): void => {}
  const began = new Promise<void>((resolve) => (begin = resolve))
  const edit = ({ messages }: Chat): void => void messages.push({ role: 'user', text: 'One' })
  const cut = other
    .thread<Chat>('chat-1')
    .run({ runId: 'one', edit }, () => {
      begin()
      return new Promise<void>(() => {})
    })
    .catch((error: unknown) => error)
  await began
  const stored = vi.fn<() => void>()
  const sent = send('chat-1', 'two', 'Two', stored) // waits in line
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(stored).not.toHaveBeenCalled()
  await other.close()
  await cut
  expect(await sent).toMatchObject({ began: 'fresh', runId: 'two' })
  expect(stored).toHaveBeenCalledTimes(1)
  const { state } = (await checkpointer.thread<Chat>('chat-1').load()) ?? {}
  const said = ['Hello', 'You said: Hello', 'One', 'You said: One', 'Two', 'You said: Two']
  expect(state?.messages.map(({ text }) => text)).toEqual(said)
})
