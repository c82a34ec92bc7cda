import {
  CheckpointerError,
  openCheckpointer,
  type Checkpoint,
  type CheckpointInfo,
  type ErrorCode,
  type Snapshot,
  type StreamCall,
  type Thread,
} from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'

/** What the compiler must accept, and what it must refuse. Checked by `npm run typecheck`; never run. */
interface State {
  readonly messages: readonly string[]
}

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const isTrue = <T extends true>(): T | undefined => undefined

export async function accepted(): Promise<void> {
  const checkpointer = await openCheckpointer({ name: 'types' })
  const thread = checkpointer.thread<State>('t', { namespace: undefined })
  const maybe: string | undefined = undefined

  const saved = await thread.save({ messages: [] }, { label: maybe, next: ['a'], extra: { any: new Date() } })
  isTrue<Same<typeof saved, CheckpointInfo>>()
  const loaded = await thread.load(saved.seq)
  isTrue<Same<typeof loaded, Checkpoint<State> | undefined>>()
  for await (const item of thread.history({ states: true })) isTrue<Same<typeof item, Snapshot<State>>>()
  for await (const item of thread.history()) isTrue<Same<typeof item, CheckpointInfo>>()
  const fork = await thread.fork({ at: { label: 'x' }, edit: (draft) => ({ messages: [...draft.messages] }) })
  isTrue<Same<typeof fork, Thread<State>>>()
  await thread.save({ messages: [] }, { expect: loaded?.seq ?? null, parent: null, source: 'a word of mine' })
  await thread.load({ step: 1 })
  await using lease = await thread.lease({ wait: 1_000, signal: undefined })
  isTrue<Same<typeof lease.token, number>>()
  checkpointer.thread('t', { namespace: 'part', lease })

  interface Part {
    readonly type: string
  }
  type Both<T> = AsyncIterable<T> & ReadableStream<T>
  interface AiResult {
    readonly text: PromiseLike<string>
    readonly textStream: Both<string>
    readonly fullStream: Both<Part>
  }
  const make = (): AiResult => expectation()
  const expectation = (): never => {
    throw new Error('It is never run.')
  }
  await thread.run({}, async (loop) => {
    const streams = [loop.stream('a', make), loop.stream('a', make(), { maxBytes: undefined })]
    for (const stream of streams) for await (const part of stream) isTrue<Same<typeof part, Part>>()
    const texts = loop.stream('a', async ({ chunks }) => {
      isTrue<Same<typeof chunks, readonly unknown[]>>()
      return make().textStream
    })
    loop.stream('a', ({ chunks }: StreamCall<string>) => {
      isTrue<Same<typeof chunks, readonly string[]>>()
      return make().textStream
    })
    for await (const text of texts) isTrue<Same<typeof text, string>>()
    const kept = loop.stream('a', make().textStream, {
      whenCut: ({ chunks }) => (chunks[0] ? 'keep' : 'restart'),
    })
    for await (const text of kept) isTrue<Same<typeof text, string>>()
  })

  const copy = await thread.copy('twin')
  isTrue<Same<typeof copy, Thread<State>>>()
  await thread.putWrites(saved.id, 'task', [
    { channel: 'c', value: new Map() },
    { channel: 'c', value: 1, index: -1 },
  ])
  const { result, began } = await thread.run(
    { initial: { messages: [] } },
    ({ state }) => state.messages.length,
  )
  isTrue<Same<typeof result, number>>()
  isTrue<Same<typeof began, 'fresh' | 'resumed' | 'already-finished'>>()
  const later = await thread.run(
    { edit: (draft) => ({ messages: draft.messages }) },
    async ({ step, state }) => {
      isTrue<Same<typeof state, State>>()
      const priced = await step('price', async () => ({ euros: 90 }), { retries: { times: 2 } })
      isTrue<Same<typeof priced, { euros: number }>>()
      return priced
    },
  )
  isTrue<Same<typeof later.result, { euros: number }>>()
  for await (const event of thread.watch())
    if (event.type === 'state') isTrue<Same<typeof event.checkpoint, Checkpoint<State>>>()
}

export async function refused(): Promise<void> {
  const checkpointer = await openCheckpointer({ name: 'types' })
  const thread = checkpointer.thread<State>('t')
  const saved = await thread.save({ messages: [] })

  // @ts-expect-error -- Not the state of this thread.
  await thread.save({ messages: [1] })
  // @ts-expect-error -- Would check nothing.
  await thread.save({ messages: [] }, { expect: undefined })
  // @ts-expect-error -- A misspelt option.
  await thread.prune({ keepLast: 1, dryrun: true })
  // @ts-expect-error -- Not a state.
  await thread.fork({ edit: () => 1 })
  // @ts-expect-error -- No such durability.
  await openCheckpointer({ name: 'types', durability: 'never' })
  // @ts-expect-error -- Checkpoints are immutable.
  saved.seq = 2
  // @ts-expect-error -- A history is walked, page by page: it is no array.
  thread.history().map(String)
}

export async function refusedOfHistories(thread: Thread<State>): Promise<void> {
  for await (const item of thread.history()) {
    // @ts-expect-error -- Its state was not asked for.
    String(item.state)
  }
  for await (const item of thread.history({ states: false })) {
    // @ts-expect-error -- Nor here.
    String(item.state)
  }
  for await (const { state } of thread.history({ states: true })) {
    // @ts-expect-error -- The state is what the thread holds.
    String(state.texts)
  }
  // @ts-expect-error -- No such order.
  thread.history({ order: 'latest' })
  // @ts-expect-error -- Checkpoints are not looked for by that.
  thread.history({ where: { seq: 1 } })
  // @ts-expect-error -- Nothing says which one.
  await thread.load({})
  // @ts-expect-error -- A thread may have nothing yet.
  ;(await thread.load()).state satisfies State
}

export async function refusedOfWrites(thread: Thread<State>): Promise<void> {
  // @ts-expect-error -- What it is for is not said.
  await thread.putWrites(1, 'task', [{ value: 1 }])
  // @ts-expect-error -- A value is not said, and may be undefined only by name.
  await thread.putWrites(1, 'task', [{ channel: 'c' }])
  // @ts-expect-error -- An index is a number.
  await thread.putWrites(1, 'task', [{ channel: 'c', value: 1, index: '0' }])
  // @ts-expect-error -- A list, also of one.
  await thread.putWrites(1, 'task', { channel: 'c', value: 1 })
  // @ts-expect-error -- Nothing says whose they are.
  await thread.putWrites(1, [{ channel: 'c', value: 1 }])
  // @ts-expect-error -- A checkpoint is named by its seq or its id.
  await thread.putWrites({ label: 'x' }, 'task', [])
}

export async function refusedOfCopies(thread: Thread<State>): Promise<void> {
  // @ts-expect-error -- It needs a name.
  await thread.copy()
  // @ts-expect-error -- The name itself.
  await thread.copy({ as: 'twin' })
  const copy = await thread.copy('twin')
  // @ts-expect-error -- A copy holds the same states.
  await copy.save({ texts: [] })
}

export async function refusedOfRuns(thread: Thread<State>): Promise<void> {
  const ended = await thread.run({}, () => 1)
  // @ts-expect-error -- What the loop gives is the result.
  ended.result satisfies string
  // @ts-expect-error -- A run that failed rejects.
  ended.status satisfies 'failed'
  // @ts-expect-error -- Nothing is run.
  await thread.run({})
  // @ts-expect-error -- Not a state of this thread.
  await thread.run({ initial: { texts: [] } }, () => {})
  // @ts-expect-error -- A misspelt option.
  await thread.run({ runid: 'r' }, () => {})
  // @ts-expect-error -- Not a state.
  await thread.run({ edit: () => 1 }, () => {})
  await thread.run({}, async ({ step, save, state }) => {
    // @ts-expect-error -- What a step does is a function.
    await step('a', 1)
    // @ts-expect-error -- What a step gives is what its work gives.
    ;(await step('a', () => 1)) satisfies string
    // @ts-expect-error -- What is unknown is retried, asked about or skipped.
    await step('a', () => 1, { whenUnknown: 'again' })
    // @ts-expect-error -- The run names its checkpoints itself.
    await save({ runId: 'r' })
    // @ts-expect-error -- The state of this thread.
    String(state.texts)
  })
}

export function refusedOfWhich(thread: Thread<State>, saved: CheckpointInfo): void {
  void thread.load({ seq: saved.seq })
  void thread.fork({ at: { id: saved.id } })
  // @ts-expect-error -- A whole checkpoint: its seq or its id is wanted.
  void thread.load(saved)
  // @ts-expect-error -- The same.
  void thread.fork({ at: saved })
}

export function narrowed(caught: unknown, error: CheckpointerError): void {
  if (CheckpointerError.is(caught)) isTrue<Same<(typeof caught)['code'], ErrorCode>>()
  if (CheckpointerError.is(error, 'CONFLICT')) isTrue<Same<(typeof error)['code'], 'CONFLICT'>>()
  // An error with another code is one all the same.
  else isTrue<Same<typeof error, CheckpointerError>>()
}

export async function refusedOfOpening(): Promise<void> {
  // @ts-expect-error -- It needs a name.
  await openCheckpointer({})
  // @ts-expect-error -- A name is a text.
  await openCheckpointer({ name: 1 })
  // @ts-expect-error -- The name is an option.
  await openCheckpointer('types')
  // @ts-expect-error -- A misspelt option.
  await openCheckpointer({ name: 'types', durabilty: 'async' })
  // @ts-expect-error -- What makes a storage is no storage.
  await openCheckpointer({ name: 'types', storage: memoryStorage })
  // @ts-expect-error -- There is no such way to run it.
  await openCheckpointer({ name: 'types', worker: true })
  // @ts-expect-error -- A worker is given anew when one was lost, so a function gives it.
  await openCheckpointer({ name: 'types', worker: new Worker('/worker.js') })
  // @ts-expect-error -- No such rule.
  await openCheckpointer({ name: 'types', retention: { keepFirst: 1 } })
  // @ts-expect-error -- A kind needs its three functions.
  await openCheckpointer({ name: 'types', types: [{ name: 'money' }] })
  // @ts-expect-error -- A warning is an error of this package.
  await openCheckpointer({ name: 'types', onWarning: (warning: string) => warning })
}
