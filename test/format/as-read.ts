import type { Checkpointer } from 'forkpoint'
import { createCodec } from '../../src/state/codec.ts'
import { PLACES, typesOfRich } from '../faults/support/rich.ts'

/** What the library reads, in the form that the second reader gives. */
export async function asRead(checkpointer: Checkpointer): Promise<Record<string, Record<string, unknown>>> {
  const codec = createCodec(typesOfRich)
  const threads: Record<string, Record<string, unknown>> = {}
  for (const [id, namespace] of PLACES) {
    const thread = checkpointer.thread(id, { namespace })
    const checkpoints: Record<string, unknown> = {}
    const writes: unknown[] = []
    for await (const { seq, id: its, state } of thread.history({ states: true, order: 'oldest' })) {
      checkpoints[seq] = { id: its, state: codec.capture(state).state }
      const { pendingWrites = [] } = (await thread.load(seq)) ?? {}
      for (const { taskId, index, channel, value } of pendingWrites)
        writes.push({ seq, taskId, index, channel, value: codec.capture(value).state })
    }
    threads[id] = { ...threads[id], [namespace]: { checkpoints, writes } }
  }
  return threads
}
