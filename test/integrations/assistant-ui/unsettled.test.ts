import type { MessageFormatAdapter } from '@assistant-ui/react'
import type { UIMessage } from 'ai'
import { openCheckpointer, type Checkpointer } from 'forkpoint'
import { ForkpointThreads } from 'forkpoint/assistant-ui'
import { memoryStorage } from 'forkpoint/storage/memory'
import { beforeEach, expect, it } from 'vitest'
import { Answers } from '../../../src/integrations/assistant-ui/answers.ts'
import { ConversationThread } from '../../../src/integrations/assistant-ui/conversation-thread.ts'
import { ConversationHistory } from '../../../src/integrations/assistant-ui/history.ts'
import { fixed } from '../../../src/integrations/assistant-ui/whereabouts.ts'

// That the runtime itself does all of this is tested in a browser: test/browser/assistant-ui/ai-sdk.test.ts.

type Stored = Omit<UIMessage, 'id'>

const format: MessageFormatAdapter<UIMessage, Stored> = {
  format: 'ai-sdk/v6',
  encode: ({ message: { id: _id, ...message } }) => message,
  decode: ({ id, parent_id: parentId, content }) => ({ parentId, message: { id, ...content } }),
  getId: ({ id }) => id,
}

let checkpointer: Checkpointer
let threads: ForkpointThreads
let id: string
beforeEach(async () => {
  checkpointer = await openCheckpointer({ name: 'unsettled', storage: memoryStorage() })
  threads = new ForkpointThreads(checkpointer)
  id = (await threads.initialize('__LOCALID_1')).remoteId
})

const says = (role: 'user' | 'assistant', message: string): UIMessage => ({
  id: message,
  role,
  parts: [{ type: 'text', text: message }],
})
const question = says('user', 'question')
const answer = says('assistant', 'answer')

const chatOf = (chatId: string) => {
  const { id: thread, namespace } = threads.placeOf(chatId)
  return checkpointer.thread(thread, { namespace })
}
/** What the runtime is given of the thread when it opens it. */
function opened(remoteId = id) {
  const chat = checkpointer.thread(remoteId, { namespace: threads.placeOf(remoteId).namespace })
  const conversation = new ConversationThread(checkpointer.thread(remoteId), chat)
  return new ConversationHistory(fixed(conversation), new Answers(checkpointer, {})).withFormat(format)
}
/** A run of the chat, as far as it came. */
const run = (messages: readonly UIMessage[], hasEnded: boolean): Promise<unknown> =>
  chatOf(id)
    .run({ initial: { messages }, edit: () => ({ messages }) }, () => {
      if (!hasEnded) throw new Error('cut off')
    })
    .catch(() => {})
const idsIn = async (history = opened()) =>
  (await history.load()).messages.map(({ message, parentId }) => `${parentId}>${message.id}`)

it('a chat is kept in the thread that the list will have for it', () => {
  expect(threads.placeOf('__LOCALID_1')).toEqual({ id, namespace: 'ai-sdk' })
  expect(threads.placeOf(id)).toEqual({ id, namespace: 'ai-sdk' })
})

it('and so it is when it is kept before the list has it', async () => {
  const { id: made } = threads.placeOf('__LOCALID_2')
  expect((await threads.initialize('__LOCALID_2')).remoteId).toBe(made)
})

it('what was asked is there though its answer has not ended, which is left to those who resume it', async () => {
  await run([question, answer], false)
  expect(await idsIn()).toEqual(['null>question'])
  expect(await idsIn()).toEqual(['null>question'])
})

it('an answer that had ended, but was not stored before its page went, is there', async () => {
  await run([question, answer], true)
  expect(await idsIn()).toEqual(['null>question', 'question>answer'])
})

it('what was deleted does not come back', async () => {
  await run([question, answer], true)
  const history = opened()
  await history.load()
  await history.delete?.([{ message: answer, parentId: 'question' }])
  expect(await idsIn()).toEqual(['null>question'])
})

it('a fork of the chat shows what it was forked at, and no more', async () => {
  await run([question, answer], true)
  await opened().load()
  await run([question, answer, says('user', 'more')], false)
  const twin = await threads.fork(id, { at: 'question' })
  expect(await idsIn(opened(twin))).toEqual(['null>question'])
  expect(await idsIn()).toEqual(['null>question', 'question>answer', 'answer>more'])
})
