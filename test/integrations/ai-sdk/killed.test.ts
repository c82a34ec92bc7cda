import { Chat } from '@ai-sdk/react'
import { DirectChatTransport, ToolLoopAgent, type ChatTransport, type UIMessage } from 'ai'
import { openCheckpointer, type Storage } from 'forkpoint'
import { ForkpointTransport } from 'forkpoint/ai-sdk'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it, onTestFinished } from 'vitest'
import { scriptedModel } from '../../support/scripted-model.ts'
import { never, shortly } from './ground.ts'

/** What a process has of a storage without locks: once it is killed, or behind so many, none of its commits comes to anything. */
function killable(inner: Storage, most = Number.POSITIVE_INFINITY) {
  let isDead = false
  let commits = 0
  const storage: Storage = {
    limits: inner.limits,
    read: inner.read.bind(inner),
    locate: inner.locate.bind(inner),
    list: inner.list.bind(inner),
    partitions: inner.partitions.bind(inner),
    close: async () => {},
    destroy: inner.destroy.bind(inner),
    commit: (...args: Parameters<Storage['commit']>) =>
      isDead || ++commits > most ? never : inner.commit(...args),
  }
  return { storage, kill: () => void (isDead = true), hasDied: () => commits > most }
}

async function processOn(storage: Storage, before?: (piece: string) => void | Promise<void>) {
  const checkpointer = await openCheckpointer({ name: 'chats', storage, onWarning: () => {} })
  const model = scriptedModel(() => ({ text: ['Hello ', 'you.'] }), before)
  const transport = new ForkpointTransport<UIMessage>({
    checkpointer,
    transport: () =>
      new DirectChatTransport({ agent: new ToolLoopAgent({ model }) }) as ChatTransport<UIMessage>,
  })
  const messages = await transport.loadMessages('c')
  return { checkpointer, chat: new Chat<UIMessage>({ id: 'c', transport, messages, onError: () => {} }) }
}

it('who sends where there are no locks is answered though a process was killed in mid-answer', async () => {
  const rows = memoryStorage()
  const { storage, kill } = killable(rows)
  const one = await processOn(storage, (piece) => (piece === 'you.' ? never : undefined))
  void one.chat.sendMessage({ text: 'Hi' })
  await expect.poll(() => shortly(one.chat.messages)).toBe('Hi / Hello ')
  await one.checkpointer.flush()
  kill()

  const two = await processOn(killable(rows).storage)
  onTestFinished(() => two.checkpointer.close())
  await two.chat.sendMessage({ text: 'Are you there?' })
  expect([two.chat.status, two.chat.error]).toEqual(['ready', undefined])
  expect(shortly(two.chat.messages)).toBe('Hi / Are you there? / Hello you.')
}, 20_000)

it.each([1, 2, 3, 4])(
  'who sends where there are no locks is answered though a process was killed behind its commit %i',
  async (most) => {
    const rows = memoryStorage()
    const { storage, hasDied } = killable(rows, most)
    const one = await processOn(storage)
    void one.chat.sendMessage({ text: 'Hi' })
    await expect.poll(hasDied).toBe(true)

    const two = await processOn(killable(rows).storage)
    onTestFinished(() => two.checkpointer.close())
    await two.chat.sendMessage({ text: 'Are you there?' })
    expect([two.chat.status, two.chat.error]).toEqual(['ready', undefined])
    expect(shortly(two.chat.messages)).toMatch(/Are you there\? \/ Hello you\.$/)
  },
  20_000,
)
