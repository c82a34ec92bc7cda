import type { Snapshot } from 'xstate'
import type { Thread } from '../../checkpointer/thread.ts'
import type { Checkpoint } from '../../checkpoint.ts'
import { CheckpointerError } from '../../errors.ts'
import { needThread } from '../shared/needed.ts'
import type { Which } from '../../checkpointer/threads/types.ts'

/** To be spread into the options of `createActor`; empty when nothing was saved. */
export interface SavedSnapshot {
  readonly snapshot?: Snapshot<unknown>
}

/** The checkpoint that a snapshot was read from. */
export interface Origin {
  readonly id: string
  readonly isHead: boolean
}

const origins = new WeakMap<object, Origin>()

export const originOf = (snapshot: unknown): Origin | undefined =>
  typeof snapshot === 'object' && snapshot !== null ? origins.get(snapshot) : undefined

/** What an actor goes on from: its latest snapshot, or an earlier one of its history. */
export async function savedSnapshot(thread: Thread, at?: Which): Promise<SavedSnapshot> {
  const found = await needThread(thread).load(at)
  if (!found) return {}
  const snapshot = snapshotIn(found)
  origins.set(snapshot, { id: found.id, isHead: at === undefined })
  return { snapshot }
}

/** What XState would make of anything else has no meaning. */
export function snapshotIn({ state, thread, seq }: Checkpoint): Snapshot<unknown> {
  if (typeof state === 'object' && state !== null && 'status' in state) return state as Snapshot<unknown>
  throw new CheckpointerError(
    'UNSUPPORTED',
    `Checkpoint ${seq} of thread '${thread}' is no snapshot of an actor. Give actors threads of their own.`,
    { thread, seq },
  )
}
