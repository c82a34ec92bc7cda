import { CheckpointerError } from '../../errors.ts'
import { diff } from '../../state/diff.ts'
import { toBytes } from '../../state/json-bytes.ts'
import { pauses } from '../../state/slices/pause.ts'
import { isLong } from '../frames/compact.ts'
import { parseBody, readFrames } from '../frames/frames.ts'
import type { SaveRequest } from '../host.ts'
import {
  deltaFrame,
  keyframe,
  keyOf,
  type CheckpointFacts,
  type StoredFrame,
} from '../rows/checkpoint-row.ts'
import { laneOf } from '../rows/lanes.ts'
import type { ThreadFacts, ThreadRow } from '../rows/thread-row.ts'
import type { Store } from '../store/store.ts'

/** A whole state of this size is worth comparing with its parent's, to store what changed instead. */
const WORTH_COMPARING = 4096

interface Framed {
  readonly frame: (seq: number) => StoredFrame
  readonly body: Uint8Array
}

/** Where a new frame will stand. */
interface Ground {
  readonly facts: ThreadFacts
  readonly row: ThreadRow | undefined
  readonly parent: CheckpointFacts | undefined
  /** Whether the parent's row can be read already: it may be one of the same commit. */
  readonly isStored: boolean
  readonly find: (id: string) => Promise<CheckpointFacts | undefined>
}

/**
 * What will be stored for the state: the delta that came, a delta made here from a whole state, or the whole.
 * `undefined` when the base of the delta that came is gone.
 */
export async function frameFor(
  store: Store,
  { base, body }: SaveRequest['frame'],
  { facts, row, parent, isStored, find }: Ground,
): Promise<Framed | undefined> {
  const whole: Framed = { frame: (seq) => keyframe(seq, body.length), body }
  if (base !== undefined) {
    const found = facts.head?.id === base.id ? facts.head : await find(base.id)
    if (!found || keyOf(found) !== base.key) return undefined
    return { frame: () => deltaFrame(laneOf(facts.segments, found.seq).lane, found, body.length), body }
  }
  if (!row || !parent || !isStored || body.length < WORTH_COMPARING) return whole
  if (isLong(parent.frame, body.length)) return whole
  const { lane } = laneOf(facts.segments, parent.seq)
  const before = await readFrames(store, row.partition, facts.segments, parent.frame.root, parent.seq)
  // Damage in the parent must not keep a whole state from being saved.
  let delta: Uint8Array
  try {
    const pause = pauses()
    const parsed = await parseBody(body, facts.next, pause)
    delta = toBytes(diff(await before.state(lane, parent.seq, pause), parsed))
  } catch (error) {
    if (CheckpointerError.is(error, 'CORRUPT')) return whole
    throw error
  }
  return delta.length * 2 < body.length
    ? { frame: () => deltaFrame(lane, parent, delta.length), body: delta }
    : whole
}
