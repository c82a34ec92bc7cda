import { isTaken, CheckpointerError } from '../../errors.ts'
import { attemptsOn, isUnsure, LOST_RACE, untilRecognised } from '../store/commit.ts'
import { underLease } from '../store/fence.ts'
import { compactSoon, mayBeLong, shortened } from '../frames/compact.ts'
import type {
  Fenced,
  Place,
  SaveManyReply,
  SaveManyRequest,
  SaveReply,
  SaveRequest,
  StoredInfo,
} from '../host.ts'
import type { CheckpointFacts } from '../rows/checkpoint-row.ts'
import { pauses } from '../../state/slices/pause.ts'
import type { ThreadRow } from '../rows/thread-row.ts'
import { withRoom } from '../retention/with-room.ts'
import { Draft } from './draft.ts'
import type { Store } from '../store/store.ts'
import type { Lineage } from '../store/thread-cache.ts'
import { readThread, recallThread } from '../store/threads.ts'

/** How many recent saves a thread's lineage remembers. */
const LINEAGE = 512
/** So many saves a commit at most: all of them are decided in one stretch, and a caller may send a hundred thousand. */
const AT_ONCE = 256

export async function save(store: Store, request: SaveRequest): Promise<SaveReply> {
  const { thread, namespace } = request
  const [saved] = await saveMany(store, { thread, namespace, saves: [request] })
  return { saved }
}

/**
 * Stores a list of saves in its order, in few commits; others have their turn between two. It ends early before one that
 * cannot be stored as it came: what is stored is always a beginning of the list. Rejects when the very first is
 * refused or fails; gives nothing when the base of the very first is gone.
 */
export async function saveMany(
  store: Store,
  { thread, namespace, saves, relaxed = false }: SaveManyRequest,
): Promise<SaveManyReply> {
  const place = { thread, namespace }
  const pause = pauses()
  return store.inTurn(place, async () => {
    const saved: StoredInfo[] = []
    try {
      while (saved.length < saves.length) {
        if (saved.length > 0) await pause()
        const next = underOneLease(saves.slice(saved.length, saved.length + AT_ONCE))
        const some = await underLease(store, { thread, ...next.fence }, (under) =>
          withRoom(store, place, () => saveSome(under, place, next.saves, relaxed)),
        )
        if (some.length === 0) break
        saved.push(...some)
      }
    } catch (error) {
      // Whoever sends the rest again is told then.
      if (saved.length === 0 || isTaken(error)) throw error
    }
    return saved
  })
}

/** The first ones, which have a lease in common, or none. */
function underOneLease(saves: readonly SaveRequest[]): { fence: Fenced; saves: readonly SaveRequest[] } {
  const lease = saves[0]?.lease
  const end = saves.findIndex((each) => each.lease !== lease)
  return {
    fence: lease === undefined ? {} : { lease },
    saves: end === -1 ? saves : saves.slice(0, end),
  }
}

/** As many, from the first on, as one commit takes. */
async function saveSome(
  store: Store,
  place: Place,
  saves: readonly SaveRequest[],
  relaxed: boolean,
): Promise<readonly StoredInfo[]> {
  try {
    return await untilRecognised(attemptsOn(store, place), async (tried) => {
      if (tried > 0 || saves.some(({ retry }) => retry))
        return attempt(store, place, saves, relaxed, await readThread(store, place), true)
      // What was remembered saves a read, but may be old: it never decides that a save is refused.
      const remembered = await recallThread(store, place)
      const result = await attempt(store, place, saves, relaxed, remembered, false).catch(
        (error: unknown) => {
          if (isTaken(error) || isUnsure(error)) throw error
          return { error }
        },
      )
      if (result === LOST_RACE || ('length' in result && result.length > 0)) return result
      if ((await readThread(store, place))?.version !== remembered?.version) return LOST_RACE
      if ('error' in result) throw result.error
      return result
    })
  } catch (error) {
    const [first, ...others] = saves
    // Only one of them may be what is too large.
    if (!first || others.length === 0 || !CheckpointerError.is(error, 'TOO_LARGE')) throw error
    return saveSome(store, place, [first], relaxed)
  }
}

async function attempt(
  store: Store,
  place: Place,
  saves: readonly SaveRequest[],
  relaxed: boolean,
  row: ThreadRow | undefined,
  again: boolean,
): Promise<readonly StoredInfo[] | typeof LOST_RACE> {
  const draft = await Draft.on(store, place, row, saves[0]?.createdAt ?? 0)
  try {
    for (const request of saves) if (!(await draft.add(request, again))) break
  } catch (error) {
    if (draft.saved.length === 0) throw error
  }
  const committed = await draft.commit(relaxed)
  if (committed === LOST_RACE) return LOST_RACE
  if (committed) remember(store, committed.thread, committed.fresh)
  for (const { seq, id } of draft.saved) store.publish({ type: 'saved', ...place, seq, id })
  for (const { run } of saves.slice(0, draft.saved.length))
    if (run) store.publish({ type: 'run', ...place, runId: run.id, status: run.status })
  return draft.saved
}

function remember(store: Store, thread: ThreadRow, fresh: readonly CheckpointFacts[]): void {
  const place = { thread: thread.facts.thread, namespace: thread.facts.namespace }
  const lineage: Lineage = store.threads.get(place)?.lineage ?? { links: new Map() }
  const { links } = lineage
  for (const { seq, frame } of fresh) {
    if (frame.base) links.set(seq, { base: frame.base[1], size: frame.size })
    if (links.size > LINEAGE) links.delete(links.keys().next().value as number)
  }
  const saved = fresh.at(-1)
  if (!saved) return
  // A keyframe may have been written while this save was under way.
  const head = shortened(saved, lineage)
  store.threads.set(place, { ...thread, facts: { ...thread.facts, head } }, lineage)
  store.keeper.saved(thread.facts, fresh.length)
  if (mayBeLong(head.frame, lineage)) compactSoon(store, place)
}
