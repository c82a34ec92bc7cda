import { threadKey, threadRows } from '../../storage/keys.ts'
import type { SyncAskReply, SyncAskRequest, SyncHead, SyncPlace } from '../host.ts'
import { tipRows } from '../store/find.ts'
import { markSynced } from './mark-synced.ts'
import { goneOf } from './gone.ts'
import { nameOf } from '../rows/checkpoint-row.ts'
import { openThread, type ThreadRow } from '../rows/thread-row.ts'
import { knownForkPoint, knownRun } from '../shapes/checkpoints.ts'
import type { Store } from '../store/store.ts'
import { unlessUnread } from '../store/unread.ts'
import { goneStamp, stampOf, storeOf } from './stamp.ts'

export async function syncAsk(store: Store, { thread }: SyncAskRequest): Promise<SyncAskReply> {
  const root = await store.storage.locate(threadKey(thread, ''))
  const about = { store: storeOf(store), gone: (await goneOf(store, thread)).map(({ name }) => name) }
  if (!root)
    return {
      ...about,
      places: [],
      ...(about.gone.length > 0 ? { stamp: await goneStamp(store, thread) } : {}),
    }
  await markSynced(store, root.partition)
  const stamp = await stampOf(store, root.partition, root.row)
  const query = { table: 'threads', ...threadRows(thread) } as const
  const [rows = []] = await store.storage.read(root.partition, [query])
  const found = rows.flatMap((row) => unlessUnread(() => openThread(root.partition, row)) ?? [])
  const places: SyncPlace[] = []
  for (const row of found) places.push(await placeOf(store, row))
  return { ...about, stamp, places }
}

export async function placeOf(store: Store, row: ThreadRow): Promise<SyncPlace> {
  const { namespace, lane, next, createdAt, label, forkOf, writes = 0, wrote } = row.facts
  return {
    namespace,
    lane,
    next,
    createdAt,
    ...(label === undefined ? {} : { label }),
    ...(forkOf ? { forkOf: knownForkPoint(forkOf) } : {}),
    heads: await headsIn(store, row),
    ...(writes > 0 || wrote !== undefined ? { wrote: wrote ?? Date.now() } : {}),
  }
}

async function headsIn(store: Store, row: ThreadRow): Promise<SyncHead[]> {
  const { head, run } = row.facts
  const beside = await tipRows(store, row)
  return [...(head ? [{ facts: head, run }] : []), ...beside].map(({ facts, run: its }) => ({
    seq: facts.seq,
    ...nameOf(facts),
    ...(its ? { run: knownRun(its) } : {}),
  }))
}
