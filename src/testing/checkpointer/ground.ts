import { expect } from 'vitest'
import type { CheckpointInfo } from '../../checkpoint.ts'
import type { Checkpointer } from '../../checkpointer/checkpointer.ts'
import type { Durability } from '../../checkpointer/durability.ts'
import type { RetentionPolicy } from '../../checkpointer/removals/retention.ts'
import type { Thread } from '../../checkpointer/thread.ts'
import { CheckpointerError, type ErrorCode } from '../../errors.ts'
import type { Storage } from '../../storage/storage.ts'
import type { TypeRegistration } from '../../state/types.ts'

/** What a law opens a checkpointer with. */
export interface GroundOptions {
  readonly types?: readonly TypeRegistration[]
  readonly durability?: Durability
  readonly retention?: RetentionPolicy
  readonly onWarning?: (warning: CheckpointerError) => void
}

/** A place that starts empty and outlives the checkpointers that are opened on it. */
export interface Ground {
  /**
   * Saves resolve before they are written (durability `async`): others see them once they are flushed, and where
   * others write too, a seq may turn out to be another than was told.
   */
  readonly isWrittenBehind?: boolean
  /** Another side serves it to those who open it, and they cannot `destroy` it. */
  readonly isServed?: boolean
  /** Opens it: again after a close, or a second time beside one that is open. */
  open(options?: GroundOptions): Promise<Checkpointer>
  /** The rows beneath, for laws that damage them. */
  storage?(): Promise<Storage>
  /** A place apart from this one, where there can be no two fresh ones at a time. */
  other?(): Promise<Ground>
  /** Removes it, when the test is over. */
  clear?(): Promise<void>
}

export type Fresh = () => Promise<Ground>

/** Runs a test on fresh ground and closes what it opened. */
export function on(
  fresh: Fresh,
  test: (checkpointer: Checkpointer, ground: Ground) => Promise<void>,
): () => Promise<void> {
  return async () => {
    const ground = await fresh()
    const opened: Checkpointer[] = []
    const watched: Ground = {
      ...ground,
      async open(options) {
        const checkpointer = await ground.open(options)
        opened.push(checkpointer)
        return checkpointer
      },
    }
    try {
      await test(await watched.open(), watched)
    } finally {
      for (const checkpointer of opened) await checkpointer.close()
      await ground.clear?.()
    }
  }
}

/** From here on others see what was saved. Where a save resolves with its commit, they do so anyway. */
export async function seenByOthers({ isWrittenBehind }: Ground, checkpointer: Checkpointer): Promise<void> {
  if (isWrittenBehind) await checkpointer.flush()
}

export async function listOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

export async function seqsOf(items: AsyncIterable<CheckpointInfo>): Promise<number[]> {
  return (await listOf(items)).map(({ seq }) => seq)
}

export async function rejection(work: Promise<unknown>, code: ErrorCode): Promise<CheckpointerError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(CheckpointerError.is(error), `expected ${code}, got ${String(error)}`).toBe(true)
  expect((error as CheckpointerError).code).toBe(code)
  return error as CheckpointerError
}

export interface Talk {
  count: number
  messages: { role: string; text: string }[]
}

/** The state after so many steps; large enough for deltas and keyframes to differ. */
export function talk(count: number, voice = 'agent'): Talk {
  return {
    count,
    messages: Array.from({ length: count }, (_, i) => ({
      role: voice,
      text: `${voice} says ${i}: ${'word '.repeat(i % 7)}`,
    })),
  }
}

/** Saves the states of steps `from` to `to`, each a little longer than the last. */
export async function fill(thread: Thread<Talk>, to: number, from = 1, voice?: string): Promise<void> {
  for (let count = from; count <= to; count++)
    await thread.save(talk(count, voice), { node: count % 2 ? 'think' : 'act', step: count })
}

/** Every checkpoint that the thread shows is read by itself and compared. */
export async function expectStates(thread: Thread<Talk>, expected: ReadonlyMap<number, Talk>): Promise<void> {
  expect(await seqsOf(thread.history({ order: 'oldest' }))).toEqual(
    [...expected.keys()].sort((a, b) => a - b),
  )
  for (const [seq, state] of expected) expect((await thread.load(seq))?.state, `seq ${seq}`).toEqual(state)
  const withStates = await listOf(thread.history({ states: true, order: 'oldest' }))
  expect(withStates.map((item) => item.state)).toEqual(
    [...expected].sort(([a], [b]) => a - b).map(([, state]) => state),
  )
}

export const talks = (seqs: readonly number[], voice?: string): Map<number, Talk> =>
  new Map(seqs.map((seq) => [seq, talk(seq, voice)]))

export const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i)
