import { createActor, type AnyActorLogic, type SnapshotFrom } from 'xstate'
import type { Thread } from '../../checkpointer/thread.ts'
import type { WatchOptions } from '../../checkpointer/runs/watch/follow.ts'
import { snapshotIn } from './restore.ts'

/** The snapshots of an actor that another tab runs, as it saves them; the latest first of all. Runs nothing. */
export async function* followActor<Logic extends AnyActorLogic>(
  thread: Thread,
  logic: Logic,
  options: WatchOptions = {},
): AsyncGenerator<SnapshotFrom<Logic>> {
  for await (const event of thread.watch(options)) {
    if (event.type !== 'state') continue
    const snapshot = snapshotIn(event.checkpoint)
    // Not started: it only makes a snapshot of what was saved.
    yield createActor(logic as AnyActorLogic, { snapshot }).getSnapshot() as SnapshotFrom<Logic>
  }
}
