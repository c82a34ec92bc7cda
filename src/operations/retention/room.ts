import { CheckpointerError } from '../../errors.ts'
import type { Place, RetentionRules } from '../host.ts'
import type { ThreadFacts } from '../rows/thread-row.ts'
import type { Store } from '../store/store.ts'
import { readThread } from '../store/threads.ts'
import { letGo } from './let-go.ts'
import { idleSince } from './oldest.ts'

/** A save waits: so many bytes are enough, and so many other threads are looked at for them. */
const ENOUGH = 256 * 1024
const MOST_THREADS = 64

/**
 * For a save that found no room, and holds its place's turn: lets go what the rules let go, all of it, in its own
 * thread, and then, if they have rules too, in those that were idle for longest, until some is free. What is freed so is told.
 */
export async function makeRoom(
  store: Store,
  place: Place,
  rulesOf: (thread: ThreadFacts) => RetentionRules | undefined,
  alsoOthers: boolean,
): Promise<boolean> {
  let bytes = 0
  let checkpoints = 0
  const from = async (each: Place): Promise<void> => {
    const thread = await readThread(store, each)
    const rules = thread && rulesOf(thread.facts)
    if (!rules) return
    for (let left = 1; left > 0;) {
      const reply = await letGo(store, { partition: thread.partition, place: each }, rules, { all: true })
      bytes += reply.bytes
      checkpoints += reply.removed.length
      left = reply.left
    }
  }
  try {
    await from(place)
    if (alsoOthers && bytes < ENOUGH)
      // Also what was changed in this very millisecond, or by a clock that is ahead.
      for (const { thread } of (await idleSince(store)).slice(0, MOST_THREADS)) {
        if (bytes >= ENOUGH) break
        if (thread !== place.thread) await from({ thread, namespace: '' })
      }
  } catch (error) {
    // There may be no room for that either. What did go may be enough.
    if (!CheckpointerError.is(error, 'QUOTA')) throw error
  }
  if (bytes === 0) return false
  store.warn(
    new CheckpointerError(
      'QUOTA',
      `There was no room left. ${checkpoints} checkpoints (${bytes} bytes) that retention lets go have gone, and the save is tried again.`,
      place,
    ),
  )
  return true
}
