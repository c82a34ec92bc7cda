import { openCheckpointer, type Checkpointer, type OpenOptions } from 'forkpoint'
import { advance, newState } from '../../agent-loop.ts'
import { KEEPERS, type BackgroundTimings, type Keeper } from './api.ts'
import { pause, timed } from './timing.ts'

/** Not long enough for work in the background to have the time between two saves to itself. */
const BETWEEN = 4
/** Milliseconds, in which some fifty of these saves are made. */
const AGE = 500
/** For each step: less than a thread comes to weigh. */
const BYTES = 8_000

const SAVERS = ['nothing', ...KEEPERS] as const

/** The same loop saved four times at each step: with compaction and retention of each kind, and by a worker that has neither. */
export async function background({
  steps,
  runs,
}: {
  readonly steps: number
  readonly runs: number
}): Promise<BackgroundTimings> {
  const quiet = (): Worker => new Worker(new URL('./quiet-worker.ts', import.meta.url), { type: 'module' })
  const later = (): Worker => new Worker(new URL('./later-worker.ts', import.meta.url), { type: 'module' })
  const open = (name: string, options: Omit<OpenOptions, 'name'>): Promise<Checkpointer> =>
    openCheckpointer({ name: `bench-${name}`, onWarning: () => {}, ...options })
  const checkpointers = {
    nothing: await open('nothing', { worker: quiet }),
    keepLast: await open('keep-last', { retention: { keepLast: 20 } }),
    olderThan: await open('older-than', { retention: { olderThan: AGE } }),
    maxBytes: await open('max-bytes', { retention: { maxBytes: steps * BYTES }, worker: later }),
  }
  const timings: BackgroundTimings = {
    saves: { nothing: [], keepLast: [], olderThan: [], maxBytes: [] },
    left: { keepLast: 0, olderThan: 0, maxBytes: 0 },
  }
  for (let run = 0; run < runs; run++) {
    const state = newState()
    for (let step = 1; step <= steps; step++) {
      advance(state, step)
      for (const i of SAVERS.keys()) {
        const saver = SAVERS[(i + step) % SAVERS.length] as Keeper | 'nothing'
        const { wall } = await timed(() => checkpointers[saver].thread(`run ${run}`).save(state))
        if (step > 1) timings.saves[saver].push(wall)
        await pause(BETWEEN)
      }
    }
  }
  for (const keeper of KEEPERS)
    for (let run = 0; run < runs; run++)
      for await (const _ of checkpointers[keeper].thread(`run ${run}`).history()) timings.left[keeper]++
  for (const each of Object.values(checkpointers)) await each.destroy()
  return timings
}
