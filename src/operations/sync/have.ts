import { CheckpointerError } from '../../errors.ts'
import type { SyncHaveReply, SyncHaveRequest, SyncWantReply, SyncWantRequest } from '../host.ts'
import { seqOf, seqRange } from '../../storage/keys.ts'
import { nameOf } from '../rows/checkpoint-row.ts'
import type { ThreadRow } from '../rows/thread-row.ts'
import { filedAt } from '../rows/write-row.ts'
import { oldestFirst } from '../store/find.ts'
import { goneSaves, saveText } from '../store/gone.ts'
import type { Store } from '../store/store.ts'
import { readThread } from '../store/threads.ts'
import { isUnread, unlessUnread } from '../store/unread.ts'
import { placeOf } from './ask.ts'
import { heldOf } from './held.ts'

/** A page of what a namespace shows, oldest first, by name; what cannot be read is told beside. */
export async function syncHave(store: Store, request: SyncHaveRequest): Promise<SyncHaveReply> {
  const { before, limit, wroteAfter } = request
  const thread = await readThread(store, request)
  if (thread && wroteAfter !== undefined) return written(store, thread, { ...request, wroteAfter })
  const names: SyncHaveReply['names'][number][] = []
  const damaged: number[] = []
  const upTo = (last: number): SyncHaveReply => ({ names, last, ...(damaged.length > 0 ? { damaged } : {}) })
  for (let from = request.after + 1; thread && from < before;) {
    try {
      for await (const { facts, seq } of oldestFirst(store, thread, { from, to: before - 1, page: limit })) {
        names.push({ seq, ...nameOf(facts) })
        if (names.length === limit) return upTo(seq)
      }
      break
    } catch (error) {
      if (!isUnread(error) || error.seq === undefined) throw error
      const last = names.at(-1)?.seq ?? request.after
      if (error.seq > last) damaged.push(error.seq)
      from = Math.max(error.seq, last) + 1
    }
  }
  return upTo(before - 1)
}

/** Its pending writes stand in its own lane, also those of what it borrows. */
async function written(
  store: Store,
  { partition, facts }: ThreadRow,
  { after, before, limit, wroteAfter }: Required<SyncHaveRequest>,
): Promise<SyncHaveReply> {
  const names: SyncHaveReply['names'][number][] = []
  const { from: start, to } = seqRange(facts.lane, after + 1, before - 1)
  for (let from = start; ;) {
    const [rows = []] = await store.storage.read(partition, [{ table: 'writes', from, to, limit }])
    const seqs = rows
      // One that cannot be read is told when it is asked for.
      .filter((row) => (unlessUnread(() => filedAt(partition, row)) ?? Number.POSITIVE_INFINITY) > wroteAfter)
      .map(({ key }) => seqOf(key))
    for (const seq of new Set(seqs)) if (seq !== names.at(-1)?.seq) names.push({ seq, id: '' })
    const last = rows.at(-1)
    if (!last || rows.length < limit) return { names, last: before - 1 }
    if (names.length >= limit) return { names, last: seqOf(last.key) - 1 }
    from = [...last.key, 0]
  }
}

/** Which of these another store is asked for; with the place, if that is wanted, as it is at the same moment. */
export async function syncWant(store: Store, request: SyncWantRequest): Promise<SyncWantReply> {
  if (request.withPlace !== true) return wantedOf(store, request)
  const { thread, namespace } = request
  const attempt = async (): Promise<SyncWantReply | undefined> => {
    const row = await readThread(store, { thread, namespace })
    const told = await wantedOf(store, request)
    const place = row && (await placeOf(store, row))
    const now = await readThread(store, { thread, namespace })
    return now?.version === row?.version ? { ...told, ...(place ? { place } : {}) } : undefined
  }
  for (let tried = 1; tried <= MOST_TRIES; tried++) {
    // Where others save without a pause, they wait for a moment.
    const told = await (tried > QUICK_TRIES ? store.inTurn({ thread, namespace }, attempt) : attempt())
    if (told) return told
  }
  throw new CheckpointerError(
    'CONFLICT',
    'Others kept changing the thread while it was compared. Sync again.',
    {
      thread,
    },
  )
}

const QUICK_TRIES = 3
const MOST_TRIES = 60

async function wantedOf(
  store: Store,
  { thread, namespace, names, heard }: SyncWantRequest,
): Promise<SyncWantReply> {
  const held = await heldOf(
    store,
    thread,
    names.map((name) => ({ ...name, namespace })),
  )
  const areThere = held.every((each) => each === 'same' || each === 'another')
  const gone = areThere ? new Set<string>() : await goneSaves(store, thread, heard)
  const all = [...names.keys()]
  const isGone = (i: number): boolean => gone.has(saveText(namespace, names[i] ?? { id: '' }))
  return {
    wanted: all.filter((i) => !held[i] && !isGone(i)),
    taken: all.filter((i) => held[i] === 'another' || (held[i] === 'hidden' && !isGone(i))),
  }
}
