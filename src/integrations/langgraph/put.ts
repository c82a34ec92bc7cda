import type { ChannelVersions } from '@langchain/langgraph-checkpoint'
import type { Thread } from '../../checkpointer/thread.ts'
import { CheckpointerError } from '../../errors.ts'
import { find } from './find.ts'
import { headAfter, type Heads } from './heads.ts'
import {
  AGAIN,
  beyondShown,
  carriedOver,
  without,
  type Facts,
  type Put,
  type Shown,
  type StoredCheckpoint,
} from './stored.ts'

/** Each that fails means that another writer, in another tab, has got through. */
const TRIES = 100

/** Saves a checkpoint under LangGraph's id, or puts it in the place of the one that has it. Tells whether it is new. */
export async function store(
  heads: Heads,
  thread: Thread,
  id: string,
  put: Put,
  shown: Shown,
): Promise<boolean> {
  let parent: string | null = put.parent ?? null
  for (let tried = 1; ; tried++) {
    const head = await heads.of(thread)
    const next = headAfter(head, id)
    const langgraph: Facts = {
      ...beyondShown(put.metadata, shown),
      ...(put.parent === undefined || parent !== null ? {} : { parent: put.parent }),
      ...(next.latest === undefined ? {} : { latest: next.latest }),
    }
    try {
      await thread.save(put.state, { ...shown, id, parent, expect: head?.id ?? null, extra: { langgraph } })
      heads.set(thread, next)
      return true
    } catch (error) {
      heads.forget(thread)
      const isParentUnknown = CheckpointerError.is(error, 'NOT_FOUND') && parent !== null
      if (!isParentUnknown && !CheckpointerError.is(error, 'CONFLICT')) throw error
      if (tried === TRIES) throw error
      // LangGraph may put a checkpoint before its parent; `extra` says what it continues.
      if (isParentUnknown) parent = null
      else if (await putAgain(thread, id, put)) return false
    }
  }
}

/** In the place of what the id has, if it has anything: with the parent that it had, when none or itself is named. */
async function putAgain(thread: Thread, id: string, put: Put): Promise<boolean> {
  const found = await find(thread, id)
  if (!found) return false
  const parent = put.parent ?? found.parent
  const value: Put = { ...put, ...(parent === undefined ? {} : { parent }) }
  await thread.putWrites(id, AGAIN.taskId, [{ channel: AGAIN.channel, index: AGAIN.index, value }])
  return true
}

/**
 * What of a put is kept. What is new is; and what has no version, or goes on from a parent, as the caller holds it.
 * A checkpoint without a parent may be a copy of one, whose values were saved here before under their versions; what
 * was not, by the contract was never given.
 */
export async function keptOf(
  thread: Thread,
  { state, ...rest }: Put,
  newVersions: ChannelVersions | undefined,
): Promise<Put> {
  const carried = rest.parent === undefined && newVersions ? carriedOver(state, newVersions) : []
  const unknown = await neverSaved(thread, state, carried)
  return { ...rest, state: unknown.size === 0 ? state : without(state, unknown) }
}

async function neverSaved(
  thread: Thread,
  { versions }: StoredCheckpoint,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const unknown = new Set(names)
  if (unknown.size === 0) return unknown
  for await (const { state } of (thread as Thread<Partial<StoredCheckpoint>>).history({ states: true })) {
    for (const name of unknown) {
      const isSaved = Object.hasOwn(state.values ?? {}, name) && state.versions?.[name] === versions[name]
      if (isSaved) unknown.delete(name)
    }
    if (unknown.size === 0) break
  }
  return unknown
}
