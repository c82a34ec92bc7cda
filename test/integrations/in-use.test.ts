import { openCheckpointer } from 'forkpoint'
import { ForkpointHistory } from 'forkpoint/assistant-ui'
import { memoryStorage } from 'forkpoint/storage/memory'
import { forkpointStorage } from 'forkpoint/store'
import { expect, it, vi } from 'vitest'
import { ConversationThread } from '../../src/integrations/assistant-ui/conversation-thread.ts'
import type { Conversation } from '../../src/integrations/assistant-ui/stored.ts'
import { InUse } from '../../src/integrations/shared/in-use.ts'
import { userMessage } from '../support/messages.ts'

it('what was not used for long forgets what it has read, and is there still', () => {
  const forgot: string[] = []
  const inUse = new InUse<{ forget(): void }>()
  const use = (name: string) => inUse.use(name, () => ({ forget: () => void forgot.push(name) }))
  const first = use('first')
  for (let n = 0; n < 31; n++) use(`${n}`)
  expect(forgot).toEqual([])
  use('first')
  use('one more')
  expect(forgot).toEqual(['0'])
  for (let n = 0; n < 31; n++) use(`${n}`)
  expect(forgot).toContain('first')
  expect([use('first'), inUse.get('first')]).toEqual([first, first])
  expect(inUse.all()).toHaveLength(33)
  expect(inUse.names().toSorted()).toEqual(
    ['first', 'one more', ...Array.from({ length: 31 }, (_, n) => `${n}`)].toSorted(),
  )
  inUse.delete('first')
  expect(inUse.get('first')).toBeUndefined()
})

it('a conversation that was not used for long is looked at again, and goes on', async () => {
  const checkpointer = await openCheckpointer({ name: 'chats', storage: memoryStorage() })
  await new ForkpointHistory(checkpointer, 'chat').append({ message: userMessage('a'), parentId: null })
  const thread = checkpointer.thread<Conversation>('chat')
  const looks = vi.spyOn(thread, 'history')
  const inUse = new InUse<ConversationThread>()
  const chat = () => inUse.use('chat', () => new ConversationThread(thread))
  for (let n = 0; n < 2; n++) await chat().fork('a')
  expect(looks).toHaveBeenCalledTimes(1)
  for (let n = 0; n < 32; n++) inUse.use(`${n}`, () => new ConversationThread(checkpointer.thread(`${n}`)))
  for (let n = 0; n < 2; n++) await chat().fork('a')
  expect(looks).toHaveBeenCalledTimes(2)
})

it('an item that was not used for long is written, and heard of', async () => {
  const checkpointer = await openCheckpointer({ name: 'items', storage: memoryStorage() })
  const storage = forkpointStorage(checkpointer)
  const heard: string[] = []
  storage.subscribe((name) => void heard.push(name))
  for (let n = 0; n < 40; n++) void storage.setItem(`${n}`, { n })
  await storage.flush()
  expect(await forkpointStorage(checkpointer).getItem('0')).toEqual({ n: 0 })
  await checkpointer.thread('0').save({ n: 'other' })
  await expect.poll(() => heard).toEqual(['0'])
  await storage.close()
})
