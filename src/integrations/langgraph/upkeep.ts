import type { CheckpointMetadata, SerializerProtocol } from '@langchain/langgraph-checkpoint'
import type { Checkpointer } from '../../checkpointer/checkpointer.ts'
import type { Thread } from '../../checkpointer/thread.ts'
import { find, type Found } from './find.ts'
import { byId, namespacesOf } from './list.ts'
import { fromForm } from './serialised/form.ts'

/** Of each namespace all goes but its latest checkpoint, and what that cannot be read without. */
export async function keepLatest(
  checkpointer: Checkpointer,
  serde: SerializerProtocol,
  id: string,
): Promise<void> {
  for (const thread of await namespacesOf(checkpointer, id)) {
    // Before the look at what is there: what is put from now on stays.
    const ids: string[] = []
    for await (const each of byId(thread)) ids.push(each.id)
    const latest = await find(thread)
    const found = latest && ids.includes(latest.id) ? latest : await find(thread, ids[0])
    const kept = new Set(found && (await neededBy(serde, thread, found)))
    if (kept.size > 0) await thread.deleteCheckpoints(ids.filter((each) => !kept.has(each)))
  }
}

/**
 * A channel that stores only what is written to it (`DeltaChannel`) is made of the writes of the ancestors, down to
 * the last one with its whole value; and before version 4 a parent holds what was sent.
 */
async function neededBy(serde: SerializerProtocol, thread: Thread, latest: Found): Promise<string[]> {
  const metadata = (await fromForm(serde, latest.metadata)) as CheckpointMetadata
  const open = new Set(Object.keys(metadata.counters_since_delta_snapshot ?? {}))
  const needed = [latest.id]
  let isWanted = latest.state.v < 4 || open.size > 0
  for (let parent = latest.parent; parent !== undefined && isWanted;) {
    const found = await find(thread, parent)
    if (!found) break
    needed.push(found.id)
    for (const channel of Object.keys(found.state.values)) open.delete(channel)
    isWanted = open.size > 0
    parent = found.parent
  }
  return needed
}
