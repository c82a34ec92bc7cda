import {
  openCheckpointer,
  type Checkpoint,
  type CheckpointInfo,
  type Snapshot,
  type StreamCall,
  type Thread,
} from 'forkpoint'

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
