import { CheckpointerError } from '../errors.ts'
import { threadKey } from '../storage/keys.ts'
import type { DeleteCheckpointsRequest, DeleteRunRequest, OfThread, RemovedReply } from './host.ts'
import { markDeleted } from './store/deletions.ts'
import type { Family } from './store/family.ts'
import { checkFence } from './store/fence.ts'
import type { LaneRows } from './removal/read/lane-rows.ts'
import { mostNamespaces, type RemovalPlan, type Spread } from './removal/plan.ts'
import { remove } from './removal/removal.ts'
import { isLabelled } from './removal/rules.ts'
import type { ThreadLoss } from './removal/losses.ts'
import type { CheckpointRow } from './rows/checkpoint-row.ts'
import type { ThreadRow } from './rows/thread-row.ts'
import type { Store } from './store/store.ts'
import { readThread } from './store/threads.ts'

const NOTHING: RemovedReply = { removed: [], bytes: 0, kept: 0, left: 0 }

/**
 * Deletes a thread with all its namespaces, damaged or not. Rows that its forks show stay for them. With `mayGo` only
 * if that agrees, given its rows and how many of its checkpoints have labels.
 */
export async function deleteThread(
  store: Store,
  { thread }: OfThread,
  mayGo?: (own: readonly ThreadRow[], labels: number) => boolean,
  spread: Spread = 'everywhere',
): Promise<boolean> {
  const root = threadKey(thread, '')
  const some = mostNamespaces(store.storage.limits)
  let isThere = false
  let isMore = false
  // All of it in turn: what was saved before is deleted, what is saved after stays.
  await store.inTurn({ thread, namespace: '' }, async () => {
    const found = await store.storage.locate(root)
    if (!found) return
    const choose = async (family: Family, rows: LaneRows): Promise<RemovalPlan> => {
      const damaged = family.damaged.filter(({ key }) => key[0] === root[0])
      const own = family.threads.filter(({ facts }) => facts.thread === thread)
      isThere = own.length + damaged.length > 0
      isMore = own.length > some
      if (mayGo && !mayGo(own, await labelsOf(own, rows))) {
        isThere = isMore = false
        return { losses: [] }
      }
      // The listed one last: as long as it is there, whoever deletes the thread finds the others.
      if (isMore) {
        await checkFence(store, found.partition)
        const others = own.filter(({ facts }) => facts.namespace !== '').slice(0, some)
        return { losses: await lossesOf(others, rows, () => true), ends: 'namespaces' }
      }
      if (damaged.length > 0) store.warn(leftBehind(thread))
      // Alone in its partition: then all of that goes, whatever is in it, and nothing need be read.
      const isAlone =
        own.length === family.threads.length &&
        damaged.length === family.damaged.length &&
        family.coming?.length === 0
      const losses =
        isAlone && !(family.isSynced && spread !== 'nothing')
          ? own.map((row) => ({ thread: row, shown: [], seqs: new Set<number>() }))
          : await lossesOf(own, rows, () => true)
      // What is refused in the end must not be marked.
      await checkFence(store, found.partition)
      if (isThere && store.isWitnessed) await markDeleted(store, thread, lastChange(own))
      return { losses, damaged, ...(isThere ? { ends: 'threads' } : {}) }
    }
    do await remove(store, found.partition, choose, { spread })
    while (isMore)
  })
  if (isThere) store.publish({ type: 'deleted', thread })
  return isThere
}

const lastChange = (own: readonly ThreadRow[]): number =>
  own.reduce((last, { facts }) => Math.max(last, facts.updatedAt), 0)

async function labelsOf(own: readonly ThreadRow[], rows: LaneRows): Promise<number> {
  const shown = await Promise.all(own.map(({ facts }) => rows.shownBy(facts.segments)))
  return shown.flat().filter(isLabelled).length
}

const leftBehind = (thread: string): CheckpointerError =>
  new CheckpointerError(
    'CORRUPT',
    `Thread '${thread}' was damaged; some of its rows may stay behind a fork of it.`,
    { thread },
  )

/** Ids that do not exist are passed over. */
export async function deleteCheckpoints(
  store: Store,
  request: DeleteCheckpointsRequest,
): Promise<RemovedReply> {
  const { thread, namespace } = request
  const seqs = new Set(request.ids.filter((id) => typeof id === 'number'))
  const ids = new Set(request.ids.filter((id) => typeof id === 'string'))
  const goes = ({ seq, facts }: CheckpointRow): boolean => seqs.has(seq) || ids.has(facts.id)
  return removeWhere(store, thread, goes, { most: request.most, namespace })
}

/** Deletes what a run has saved, in all namespaces of a thread. */
export async function deleteRun(
  store: Store,
  { thread, runId, most }: DeleteRunRequest,
): Promise<RemovedReply> {
  return removeWhere(store, thread, ({ facts }) => facts.runId === runId, { most })
}

interface RemoveWhere {
  readonly most?: number | undefined
  readonly namespace?: string | undefined
  readonly spread?: Spread
}

/** In one namespace of a thread, or in all. */
export async function removeWhere(
  store: Store,
  thread: string,
  goes: (row: CheckpointRow, namespace: string) => boolean,
  { most, namespace, spread = 'everywhere' }: RemoveWhere = {},
): Promise<RemovedReply> {
  const reply = await store.inTurn({ thread, namespace: namespace ?? '' }, async () => {
    const found = await readThread(store, { thread, namespace: '' })
    if (!found) return NOTHING
    const choose = async ({ threads }: Family, rows: LaneRows): Promise<RemovalPlan> => {
      const own = threads.filter(
        ({ facts }) => facts.thread === thread && (namespace === undefined || facts.namespace === namespace),
      )
      return { losses: await lossesOf(own, rows, goes) }
    }
    if (most !== undefined) return remove(store, found.partition, choose, { spread, most })
    let all = NOTHING
    do {
      const part = await remove(store, found.partition, choose, { spread })
      const [removed, bytes] = [[...all.removed, ...part.removed], all.bytes + part.bytes]
      all = { ...part, removed, bytes, left: part.removed.length > 0 ? part.left : 0 }
    } while (all.left > 0)
    return all
  })
  for (const lost of new Set(reply.removed.map((row) => row.namespace))) {
    const seqs = reply.removed.filter((row) => row.namespace === lost).map(({ seq }) => seq)
    store.publish({ type: 'pruned', thread, namespace: lost, seqs })
  }
  return reply
}

async function lossesOf(
  own: readonly ThreadRow[],
  rows: LaneRows,
  goes: (row: CheckpointRow, namespace: string) => boolean,
): Promise<ThreadLoss[]> {
  return Promise.all(
    own.map(async (row) => {
      const shown = await rows.shownBy(row.facts.segments)
      const going = shown.filter((each) => goes(each, row.facts.namespace))
      return { thread: row, shown, seqs: new Set(going.map(({ seq }) => seq)) }
    }),
  )
}
