import { CheckpointerError } from '../../errors.ts'
import { compactSoon, mayBeLong } from '../frames/compact.ts'
import type { SaveRequest, SyncRow, SyncTakeReply, SyncTakeRequest, SyncWrite } from '../host.ts'
import { withRoom } from '../retention/with-room.ts'
import { Draft } from '../saving/draft.ts'
import { attemptsOn, LOST_RACE, untilRecognised } from '../store/commit.ts'
import { areSound } from '../shapes/bodies.ts'
import { isSyncTake } from '../shapes/syncing.ts'
import { goneSaves, saveText } from '../store/gone.ts'
import type { Store } from '../store/store.ts'
import { readThread } from '../store/threads.ts'
import { GrownStates } from './grown-states.ts'
import { heldOf } from './held.ts'
import { countable } from '../rows/countable.ts'
import { settled } from './settle.ts'
import { addWrites } from './writes.ts'

/**
 * Takes in checkpoints of another store, as many of them, from the first on, as one commit holds; what is here already,
 * or was removed here, counts as taken. What becomes of the heads is decided in the same commit.
 */
export async function syncTake(store: Store, request: SyncTakeRequest): Promise<SyncTakeReply> {
  if (!isSyncTake(request)) throw notOurs()
  const { thread, namespace } = request
  const place = { thread, namespace }
  const damaged = await damagedIn(store, request)
  const { reply, there } = await store.inTurn(place, () =>
    withRoom(store, place, () =>
      untilRecognised(attemptsOn(store, place), () => attempt(store, request, damaged)),
    ),
  )
  let isChanged = false
  for (const row of there)
    if (await addWrites(store, place, { ...row, writes: row.writes.map(counted) })) isChanged = true
  if (!isChanged) return reply
  const wrote = (await readThread(store, place))?.facts.wrote
  return { ...reply, isChanged, ...(wrote === undefined ? {} : { wrote }) }
}

export const notOurs = (): CheckpointerError =>
  new CheckpointerError(
    'INVALID',
    'What came from the other store is nothing that a store of this package gives.',
  )

/** What could not be read here either, if it were stored. Of some only the pending writes have come. */
async function damagedIn(
  store: Store,
  { thread, namespace, rows }: SyncTakeRequest,
): Promise<ReadonlySet<SyncRow>> {
  const damaged = new Set<SyncRow>()
  const states = new GrownStates(store, { thread, namespace })
  for (const row of rows) {
    const isSound = (await areSound(row.writes)) && (row.body.length === 0 || (await states.grow(row)))
    if (!isSound) damaged.add(row)
  }
  return damaged
}

interface Taken {
  readonly reply: SyncTakeReply
  /** Those that were here before, or whose pending writes had no room beside them: some may have to be added. */
  readonly there: readonly SyncRow[]
}

async function attempt(
  store: Store,
  request: SyncTakeRequest,
  damaged: ReadonlySet<SyncRow>,
): Promise<Taken | typeof LOST_RACE> {
  const { thread, namespace, about, rows } = request
  const place = { thread, namespace }
  const row = await readThread(store, place)
  const draft = await Draft.on(store, place, row, about.createdAt, true)
  if (!row) draft.settle({ ...draft.facts, ...named(about) })
  const before = draft.facts
  const held = await heldOf(
    store,
    thread,
    rows.map(({ info }) => ({
      id: info.id,
      ...(info.key === undefined ? {} : { key: info.key }),
      namespace,
    })),
  )
  const gone = held.every(Boolean) ? new Set<string>() : await goneSaves(store, thread, request.heard)
  const there: SyncRow[] = []
  let taken = 0
  let isStuck = false
  for (const [i, each] of rows.entries()) {
    if (damaged.has(each)) {
      taken++
      continue
    }
    if (held[i] === 'same') there.push(each)
    const isNew = !held[i] && each.body.length > 0 && !draft.isFresh(each.info.id)
    if (isNew && !gone.has(saveText(namespace, each.info)) && !(await adds(draft, saveOf(request, each)))) {
      isStuck = taken === 0
      break
    }
    if (draft.isCut(each.info.id)) there.push(each)
    taken++
  }
  const { fresh } = draft
  const isLast = request.isLast && taken === rows.length
  const find = (id: string) => draft.find({ id })
  const now = await settled(draft.facts, { ...request, isLast, fresh, find })
  if (fresh.length > 0 || row) draft.settle(now)
  const committed = await draft.commit(false)
  if (committed === LOST_RACE) return LOST_RACE
  if (committed) tell(store, draft, committed.thread, before)
  const { next, lane, head, tips = [], wrote } = committed?.thread.facts ?? before
  const leftOut = rows.slice(0, taken).filter((each) => damaged.has(each))
  return {
    there,
    reply: {
      taken,
      added: fresh.length,
      ...(isStuck ? { isStuck } : {}),
      ...(leftOut.length > 0 ? { damaged: leftOut.map(({ info }) => info.seq) } : {}),
      from: before.next,
      next,
      lane,
      heads: [...(head ? [head.id] : []), ...tips.map(({ id }) => id)],
      ...(committed ? { isChanged: true } : {}),
      ...(wrote === undefined ? {} : { wrote }),
    },
  }
}

/** `false` also where the commit is full. A row that is too large beside others is tried alone. */
async function adds(draft: Draft, request: SaveRequest): Promise<boolean> {
  try {
    return await draft.add(request, false)
  } catch (error) {
    if (draft.fresh.length > 0 && CheckpointerError.is(error, 'TOO_LARGE')) return false
    throw error
  }
}

/** A clock that is far ahead, or a hostile one, leaves room for what comes after it. */
const counted = (write: SyncWrite): SyncWrite => ({ ...write, made: countable(write.made) })

function named({
  label,
  forkOf,
}: SyncTakeRequest['about']): Pick<SyncTakeRequest['about'], 'label' | 'forkOf'> {
  return { ...(label === undefined ? {} : { label }), ...(forkOf ? { forkOf } : {}) }
}

function saveOf({ thread, namespace }: SyncTakeRequest, { info, base, body, writes }: SyncRow): SaveRequest {
  const { seq: _seq, id, key, createdAt, parent, ...fields } = info
  return {
    thread,
    namespace,
    key: key ?? id,
    ...(key === undefined ? {} : { id }),
    createdAt,
    fields,
    frame: base ? { base, body } : { body },
    parent: parent?.id ?? null,
    ...(writes.length > 0 ? { writes: writes.map(counted) } : {}),
  }
}

function tell(
  store: Store,
  draft: Draft,
  thread: NonNullable<Awaited<ReturnType<typeof readThread>>>,
  before: typeof thread.facts,
): void {
  const { facts } = thread
  const { fresh } = draft
  const place = { thread: facts.thread, namespace: facts.namespace }
  const lineage = { links: new Map() }
  store.threads.set(place, thread, lineage)
  for (const { seq, id } of fresh) store.publish({ type: 'saved', ...place, seq, id })
  const { head, run } = facts
  // It may be one that was here before: whoever shows the head looks again.
  if (head && head.id !== before.head?.id && !draft.isFresh(head.id))
    store.publish({ type: 'saved', ...place, seq: head.seq, id: head.id })
  if (run && JSON.stringify(run) !== JSON.stringify(before.run))
    store.publish({ type: 'run', ...place, runId: run.id, status: run.status })
  if (fresh.length > 0) store.keeper.saved(facts, fresh.length)
  if (head && mayBeLong(head.frame, lineage)) compactSoon(store, place)
}
