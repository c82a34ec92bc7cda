import 'fake-indexeddb/auto'
import type {
  ChatModelAdapter,
  ChatModelRunOptions,
  ChatModelRunResult,
  ThreadAssistantMessage,
} from '@assistant-ui/react'
import { openCheckpointer, type Checkpointer } from 'forkpoint'
import { ForkpointHistory } from 'forkpoint/assistant-ui'
import { beforeEach, expect, it } from 'vitest'
import { fullable } from '../../support/fullable.ts'
import { assistantMessage, userMessage } from '../../support/messages.ts'

let name: string
let checkpointer: Checkpointer
let asked: number
const open = async (): Promise<void> => {
  checkpointer = await openCheckpointer({ name, worker: false, onWarning: () => {} })
}
beforeEach(async () => {
  name = `answers-${Math.random()}`
  asked = 0
  await open()
})

const says = (text: string): ChatModelRunResult => ({ content: [{ type: 'text', text }] })
const model: ChatModelAdapter = {
  async *run() {
    asked++
    for (const text of ['o', 'on', 'one']) yield says(text)
  },
}
const options: ChatModelRunOptions = {
  messages: [],
  runConfig: {},
  abortSignal: new AbortController().signal,
  context: {},
  unstable_parentId: 'a',
  unstable_getMessage: () => userMessage('a'),
}
const page = (): ForkpointHistory => new ForkpointHistory(checkpointer, 'chat', { model })
type Given = Awaited<ReturnType<ChatModelAdapter['run']>> | ReturnType<ChatModelAdapter['run']>
async function all(given: Given): Promise<ChatModelRunResult[]> {
  const results: ChatModelRunResult[] = []
  if (Symbol.asyncIterator in given) for await (const result of given) results.push(result)
  return results
}
/** As a runtime does it when the user wants no more: it leaves the answer, here behind its second part. */
async function stopped(history: ForkpointHistory): Promise<void> {
  const answer = history.model.run(options)
  if (!(Symbol.asyncIterator in answer)) throw new Error('it streams')
  let parts = 0
  for await (const _part of answer) if (++parts === 2) break
}
/** Drafts come a quarter of a second behind. */
const late = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 400))
/** As when a page goes, and another comes: what it held is let go, and nothing else is done. */
const gone = async (): Promise<void> => {
  await checkpointer.close()
  await open()
}

it('an answer is passed on as it comes, and is not given again once it is a message', async () => {
  const history = page()
  await history.append({ message: userMessage('a'), parentId: null })
  expect(await all(history.model.run(options))).toEqual(['o', 'on', 'one'].map(says))
  await history.append({ message: assistantMessage('b'), parentId: 'a' })
  expect(await page().load()).not.toHaveProperty('unstable_resume')
  expect(asked).toBe(1)
})

it('an answer that was cut off is shown and given anew, by one tab', async () => {
  const history = page()
  await history.append({ message: userMessage('a'), parentId: null })
  const answer = history.model.run(options)
  if (!(Symbol.asyncIterator in answer)) throw new Error('it streams')
  await answer.next()
  await expect
    .poll(async () => (await checkpointer.thread('chat', { namespace: 'assistant-ui/answer' }).load())?.state)
    .toMatchObject({ result: says('o') })
  // While it is being given, no other tab gives it.
  expect(await page().load()).not.toHaveProperty('unstable_resume')
  await gone()
  const next = page()
  expect(await next.load()).toMatchObject({ headId: 'a', unstable_resume: true })
  expect(await page().load()).not.toHaveProperty('unstable_resume')
  expect(await all(next.resume(options))).toEqual(['o', 'o', 'on', 'one'].map(says))
})

it.each(['is being given', 'was stopped'])(
  'an answer that %s in this tab is not one that was cut off',
  async (how) => {
    const history = page()
    await history.append({ message: userMessage('a'), parentId: null })
    const answer = history.model.run(options)
    if (!(Symbol.asyncIterator in answer)) throw new Error('it streams')
    if (how === 'was stopped') await stopped(history)
    else await answer.next()
    // As when its component is mounted again.
    expect(await history.load()).not.toHaveProperty('unstable_resume')
    // Another tab does not give it either.
    expect(await page().load()).not.toHaveProperty('unstable_resume')
  },
)

it('an answer that was cut off is held, though its history is loaded twice at once', async () => {
  const history = page()
  await history.append({ message: userMessage('a'), parentId: null })
  await all(history.model.run(options))
  await gone()
  const next = page()
  const loaded = await Promise.all([next.load(), next.load()])
  expect(loaded).toMatchObject([{ unstable_resume: true }, { unstable_resume: true }])
  await expect(checkpointer.thread('chat').lease({ wait: false })).rejects.toMatchObject({ code: 'BLOCKED' })
})

it('an answer that had ended, but was no message yet, is not asked for again', async () => {
  const history = page()
  await history.append({ message: userMessage('a'), parentId: null })
  await all(history.model.run(options))
  await gone()
  const next = page()
  expect(await next.load()).toMatchObject({ unstable_resume: true })
  expect(await all(next.resume(options))).toEqual([says('one')])
  expect(asked).toBe(1)
})

it('of an answer that is a message nothing else stays, and it can be given anew', async () => {
  const drafts = checkpointer.thread('chat', { namespace: 'assistant-ui/answer' })
  const history = page()
  await history.append({ message: userMessage('a'), parentId: null })
  await all(history.model.run(options))
  expect(await drafts.load()).toBeDefined()
  await history.append({ message: assistantMessage('b'), parentId: 'a' })
  expect(await drafts.load()).toBeUndefined()
  await all(history.model.run(options))
  expect(asked).toBe(2)
  await history.append({ message: assistantMessage('b2'), parentId: 'a' })
  for await (const draft of drafts.history()) throw new Error(`${draft.seq} is there`)
})

it.each(['was stopped', 'has failed'])(
  'of an answer that %s no draft comes behind its message',
  async (how) => {
    const failing: ChatModelAdapter = {
      async *run() {
        yield says('o')
        yield says('on')
        throw new Error('offline')
      },
    }
    const history =
      how === 'was stopped' ? page() : new ForkpointHistory(checkpointer, 'chat', { model: failing })
    await history.append({ message: userMessage('a'), parentId: null })
    if (how === 'was stopped') await stopped(history)
    else await expect(all(history.model.run(options))).rejects.toThrow('offline')
    const message = assistantMessage('b')
    await history.append({ message, parentId: 'a' })
    await late()
    const drafts = checkpointer.thread('chat', { namespace: 'assistant-ui/answer' })
    for await (const draft of drafts.history()) throw new Error(`${draft.seq} is there`)
    await history.delete([{ message, parentId: 'a' }])
    expect(await page().load()).not.toHaveProperty('unstable_resume')
  },
)

it('a draft is written of an answer that was left, while no message is stored of it', async () => {
  const history = page()
  await history.append({ message: userMessage('a'), parentId: null })
  await stopped(history)
  await expect
    .poll(async () => (await checkpointer.thread('chat', { namespace: 'assistant-ui/answer' }).load())?.state)
    .toMatchObject({ result: says('on') })
})

it.each(['is given', 'was stopped'])(
  'a thread that is deleted when its answer %s stays deleted',
  async (when) => {
    const errors: unknown[] = []
    const onError = (error: unknown): void => void errors.push(error)
    const history = new ForkpointHistory(checkpointer, 'chat', { model, onError })
    await history.append({ message: userMessage('a'), parentId: null })
    const answer = history.model.run(options)
    if (!(Symbol.asyncIterator in answer)) throw new Error('it streams')
    if (when === 'is given') await answer.next()
    else {
      await stopped(history)
      await history.append({ message: assistantMessage('b'), parentId: 'a' })
    }
    await checkpointer.thread('chat').delete()
    if (when === 'is given') await all(answer)
    await late()
    for await (const { id } of checkpointer.threads()) throw new Error(`${id} is there`)
    expect(errors).toMatchObject(when === 'is given' ? [{ code: 'LEASE_LOST' }] : [])
  },
)

it('an answer that takes the place of one is kept until it is a message, not until the other is', async () => {
  const history = page()
  await history.append({ message: userMessage('a'), parentId: null })
  const [first, second] = [history.model.run(options), history.model.run(options)]
  if (!(Symbol.asyncIterator in first && Symbol.asyncIterator in second)) throw new Error('they stream')
  await first.next()
  await second.next()
  await first.next()
  await first.return?.()
  await history.append({ message: assistantMessage('b'), parentId: 'a' })
  await late()
  await gone()
  const loaded = await page().load()
  expect(loaded).toMatchObject({ headId: 'b' })
  const kept = await checkpointer.thread('chat', { namespace: 'assistant-ui/answer' }).load()
  expect(kept?.state).toMatchObject({ result: says('o') })
})

it('an answer that is asked for anew is asked for, though the one before was no message yet', async () => {
  const history = page()
  await history.append({ message: userMessage('a'), parentId: null })
  await all(history.model.run(options))
  expect(await all(history.model.run(options))).toEqual(['o', 'on', 'one'].map(says))
  expect(asked).toBe(2)
})

it('an answer that is deleted does not come back', async () => {
  const history = page()
  await history.append({ message: userMessage('a'), parentId: null })
  await all(history.model.run(options))
  const message = assistantMessage('b')
  await history.append({ message, parentId: 'a' })
  await history.delete([{ message, parentId: 'a' }])
  const loaded = await page().load()
  expect(loaded.headId).toBe('a')
  expect(loaded).not.toHaveProperty('unstable_resume')
})

/** A call that waits for a person, or with their word. */
const call = (result?: string) => ({
  type: 'tool-call' as const,
  toolCallId: 'call',
  toolName: 'ask',
  args: {},
  argsText: '{}',
  ...(result === undefined ? {} : { result }),
})
const PAUSED = { type: 'requires-action', reason: 'tool-calls' } as const
const paused = (result?: string): ThreadAssistantMessage => ({
  ...assistantMessage('b'),
  content: [call(result)],
  status: PAUSED,
})

/** As a runtime does it: a message that waits for a person is appended, and goes on behind their word under its id. */
async function answeredByAPerson(history: ForkpointHistory): Promise<ChatModelRunOptions> {
  await history.append({ message: userMessage('a'), parentId: null })
  const asking: ChatModelRunOptions = { ...options, unstable_assistantMessageId: 'b' }
  await all(history.model.run(asking))
  await history.append({ message: paused(), parentId: 'a' })
  return { ...asking, unstable_getMessage: () => ({ ...paused('yes'), status: { type: 'running' } }) }
}

it.each([
  ['has ended', assistantMessage('b').status, 'b'],
  ['waits again', PAUSED, 'b'],
  ['has ended, where the runtime does not name it', assistantMessage('b').status, undefined],
])('an answer that goes on behind a person’s word is let go of when it %s', async (_name, status, id) => {
  const history = page()
  const goingOn = await answeredByAPerson(history)
  await all(history.model.run({ ...goingOn, unstable_assistantMessageId: id }))
  await history.update({ message: { ...paused('yes'), status }, parentId: 'a' })
  expect(await checkpointer.thread('chat', { namespace: 'assistant-ui/answer' }).load()).toBeUndefined()
  await (await checkpointer.thread('chat').lease({ wait: false })).release()
})

it('an answer is held while it goes on, though what a person has said is stored behind its beginning', async () => {
  const history = page()
  const goingOn = await answeredByAPerson(history)
  const answer = history.model.run(goingOn)
  if (!(Symbol.asyncIterator in answer)) throw new Error('it streams')
  await answer.next()
  await history.update({ message: paused('yes'), parentId: 'a' })
  await expect(checkpointer.thread('chat').lease({ wait: false })).rejects.toMatchObject({ code: 'BLOCKED' })
})

it('an answer that is cut off behind a person’s word is given anew below it, and the word is there', async () => {
  const history = page()
  const goingOn = await answeredByAPerson(history)
  const answer = history.model.run(goingOn)
  if (!(Symbol.asyncIterator in answer)) throw new Error('it streams')
  await answer.next()
  await expect
    .poll(async () => (await checkpointer.thread('chat', { namespace: 'assistant-ui/answer' }).load())?.state)
    .toMatchObject({ result: says('o') })
  await gone()
  for (const texts of [
    ['o', 'o'],
    ['o', 'o', 'on', 'one'],
  ]) {
    const next = page()
    const loaded = await next.load()
    expect(loaded).toMatchObject({ headId: 'b', unstable_resume: true })
    expect(loaded.messages.at(-1)?.message).toEqual(paused('yes'))
    const resumed = next.resume({ ...options, unstable_parentId: 'b', unstable_assistantMessageId: 'c' })
    for (const text of texts) expect((await resumed.next()).value).toEqual(says(text))
    if (texts.length === 2) await gone()
    else expect(await resumed.next()).toMatchObject({ done: true })
  }
})

it('a message that waits for a person is not gone on with', async () => {
  await answeredByAPerson(page())
  await gone()
  const loaded = await page().load()
  expect(loaded).not.toHaveProperty('unstable_resume')
  expect(loaded.messages.at(-1)?.message).toEqual(paused())
})

it('drafts that cannot be removed are told of, and the message is stored', async () => {
  const disk = fullable()
  const errors: unknown[] = []
  const full = await openCheckpointer({ name: 'full', storage: disk.storage, onWarning: () => {} })
  const history = new ForkpointHistory(full, 'chat', { model, onError: (error) => errors.push(error) })
  await history.append({ message: userMessage('a'), parentId: null })
  await all(history.model.run(options))
  disk.fill({ after: 1 })
  await history.append({ message: assistantMessage('b'), parentId: 'a' })
  disk.empty()
  expect(errors).toMatchObject([{ code: 'QUOTA' }])
  expect((await history.load()).headId).toBe('b')
})

it('a message that nobody was to answer is not answered', async () => {
  const history = page()
  await history.append({ message: userMessage('a'), parentId: null })
  expect(await page().load()).not.toHaveProperty('unstable_resume')
})

it('without a model nothing is resumed, and a call says so', async () => {
  const history = new ForkpointHistory(checkpointer, 'chat')
  await history.append({ message: userMessage('a'), parentId: null })
  await expect(all(history.model.run(options))).rejects.toMatchObject({ code: 'INVALID', path: 'model' })
  await gone()
  expect(await new ForkpointHistory(checkpointer, 'chat').load()).not.toHaveProperty('unstable_resume')
})

it('a model that gives its answer at once is one, too', async () => {
  const history = new ForkpointHistory(checkpointer, 'chat', { model: { run: async () => says('all') } })
  await history.append({ message: userMessage('a'), parentId: null })
  expect(await all(history.model.run(options))).toEqual([says('all')])
})

it('what cannot be kept of an answer is told, and passed on all the same', async () => {
  const errors: unknown[] = []
  const part = { type: 'text' as const, text: 'x', call: () => {} }
  const odd: ChatModelRunResult = { content: [part] }
  const history = new ForkpointHistory(checkpointer, 'chat', {
    model: { run: async () => odd },
    onError: (error) => errors.push(error),
  })
  await history.append({ message: userMessage('a'), parentId: null })
  expect(await all(history.model.run(options))).toEqual([odd])
  expect(errors).toMatchObject([{ code: 'INVALID' }])
})

it('an answer that cannot be kept from its beginning on is told, and passed on all the same', async () => {
  const disk = fullable()
  const errors: unknown[] = []
  const full = await openCheckpointer({ name: 'full', storage: disk.storage, onWarning: () => {} })
  const history = new ForkpointHistory(full, 'chat', { model, onError: (error) => errors.push(error) })
  await history.append({ message: userMessage('a'), parentId: null })
  disk.fill()
  expect(await all(history.model.run(options))).toEqual(['o', 'on', 'one'].map(says))
  expect(errors).toMatchObject([{ code: 'QUOTA' }])
  disk.empty()
  await full.close()
  expect(await all(history.model.run(options))).toHaveLength(3)
  expect(errors).toMatchObject([{ code: 'QUOTA' }, { code: 'CLOSED' }])
  expect(asked).toBe(2)
})
