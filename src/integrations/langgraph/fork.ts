import { uuid6, type CheckpointMetadata, type SerializerProtocol } from '@langchain/langgraph-checkpoint'
import type { Checkpointer } from '../../checkpointer/checkpointer.ts'
import type { Thread } from '../../checkpointer/thread.ts'
import { CheckpointerError } from '../../errors.ts'
import { find, type Found } from './find.ts'
import { Heads } from './heads.ts'
import { byId, namespacesOf } from './list.ts'
import { store } from './put.ts'
import { fromForm } from './serialised/form.ts'
import type { Put } from './stored.ts'

/**
 * A new thread that ends at a checkpoint: with its subgraphs as far as they had come, and with the writes of the steps
 * before, which channels may be made of. So it is a copy, of which what came later is taken away.
 */
export async function fork(
  checkpointer: Checkpointer,
  serde: SerializerProtocol,
  thread: string,
  checkpoint: string,
  as: string = uuid6(0),
): Promise<string> {
  const point = await find(checkpointer.thread(thread), checkpoint)
  if (!point)
    throw new CheckpointerError('NOT_FOUND', `Thread '${thread}' has no checkpoint '${checkpoint}'.`, {
      thread,
    })
  const twin = await checkpointer.thread(thread).copy(as)
  try {
    const isTip = await cut(twin, point)
    for (const inner of await namespacesOf(checkpointer, as))
      if (inner.namespace !== '') await cutInner(serde, inner, { point: checkpoint, isTip })
  } catch (error) {
    // Half of it is no fork.
    await twin.delete()
    throw error
  }
  return as
}

/** Ends the root at the point. Tells whether nothing had gone on from there. */
async function cut(twin: Thread, point: Found): Promise<boolean> {
  const later: string[] = []
  let isTip = true
  for await (const { id, parent } of byId(twin)) {
    if (parent === point.id) isTip = false
    if (id > point.id) later.push(id)
  }
  // What its tasks have yielded is what the origin went on with: the fork is to take the step itself.
  await twin.deleteCheckpoints(isTip ? later : [...later, point.id])
  if (!isTip) await putAnew(twin, point)
  return isTip
}

/** Without its writes; what was put again comes again behind what was put first, which others may share with. */
async function putAnew(twin: Thread, { id, first, state, metadata, parent }: Found): Promise<void> {
  const again: Put = { state, metadata, ...(parent === undefined ? {} : { parent }) }
  for (const put of state === first ? [again] : [{ ...again, state: first }, again])
    await store(new Heads(), twin, id, put, { source: 'fork' })
}

/** A subgraph's checkpoints belong to the step of the root that it ran in. */
async function cutInner(
  serde: SerializerProtocol,
  inner: Thread,
  { point, isTip }: { readonly point: string; readonly isTip: boolean },
): Promise<void> {
  const later: string[] = []
  for await (const { id, metadata } of byId(inner)) {
    const { parents } = (await fromForm(serde, metadata)) as Partial<CheckpointMetadata>
    const root = parents?.[''] ?? id
    if (root > point || (root === point && !isTip)) later.push(id)
  }
  await inner.deleteCheckpoints(later)
}
