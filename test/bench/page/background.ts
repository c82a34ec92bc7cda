import { openCheckpointer } from 'forkpoint'
import { advance, newState } from '../agent-loop.ts'
import type { BackgroundTimings } from './api.ts'
import { pause, timed } from './timing.ts'

/** Not long enough for work in the background to have the time between two saves to itself. */
const BETWEEN = 4

/** The same loop saved twice at each step: with compaction and retention, and by a worker that has neither. */
export async function background({
  steps,
  runs,
}: {
  readonly steps: number
  readonly runs: number
}): Promise<BackgroundTimings> {
  const quiet = (): Worker => new Worker(new URL('./quiet-worker.ts', import.meta.url), { type: 'module' })
  const busy = await openCheckpointer({ name: 'bench-busy', retention: { keepLast: 20 } })
  const idle = await openCheckpointer({ name: 'bench-idle', worker: quiet })
  const timings: BackgroundTimings = { with: [], without: [], left: 0 }
  for (let run = 0; run < runs; run++) {
    const threads = { with: busy.thread(`run ${run}`), without: idle.thread(`run ${run}`) }
    const state = newState()
    for (let step = 1; step <= steps; step++) {
      advance(state, step)
      for (const name of step % 2 ? (['with', 'without'] as const) : (['without', 'with'] as const)) {
        const { wall } = await timed(() => threads[name].save(state))
        if (step > 1) timings[name].push(wall)
        await pause(BETWEEN)
      }
    }
    for await (const _ of threads.with.history()) timings.left++
  }
  await busy.destroy()
  await idle.destroy()
  return timings
}
