import { openCheckpointer, type Durability } from 'forkpoint'
import { advance, newState } from '../../agent-loop.ts'
import type { BehindTimings } from './api.ts'

/** Of the same loop, one save right after the other, in each mode: until all of it is durable. */
export async function behind({ steps }: { readonly steps: number }): Promise<BehindTimings> {
  const sync = await durable('sync', steps)
  const async = await durable('async', steps)
  return { sync, async }
}

async function durable(durability: Durability, steps: number): Promise<number> {
  const checkpointer = await openCheckpointer({ name: `bench-${durability}`, durability })
  const thread = checkpointer.thread('t')
  const state = newState()
  await thread.save(state)
  await checkpointer.flush()
  const begun = performance.now()
  for (let step = 1; step <= steps; step++) await thread.save(advance(state, step))
  await checkpointer.flush()
  const took = performance.now() - begun
  await checkpointer.destroy()
  return took / steps
}
