import type { CheckpointInfo } from '../../checkpoint.ts'
import { END, readJournal, type End } from './journal/entries.ts'
import type { Ground } from './ground/ground.ts'

/** What was saved last under the run's id. */
export async function latestOf<State>(
  ground: Ground<State>,
  runId: string,
): Promise<CheckpointInfo | undefined> {
  for await (const info of ground.checkpointsOf(runId, { limit: 1 })) return info
  return undefined
}

/**
 * How a run has ended. What was saved last under its id need not be what it ended with: another store may have gone on
 * with it too, and anyone may save under it. So all are looked at until it is seen to have finished: mostly one.
 */
export async function endOf<State>(
  ground: Ground<State>,
  runId: string,
  signal: AbortSignal,
): Promise<End | undefined> {
  let last: End | undefined
  for await (const { seq } of newestFirst(ground, runId, signal)) {
    const { end } = readJournal(await ground.writesOn(seq, END.channel), runId)
    if (end?.status === 'finished') return end
    last ??= end
  }
  return last
}

/** The first by itself: to find more of them is to look at more of the thread. */
async function* newestFirst<State>(
  ground: Ground<State>,
  runId: string,
  signal: AbortSignal,
): AsyncGenerator<CheckpointInfo> {
  const last = await latestOf(ground, runId)
  if (!last) return
  yield last
  yield* ground.checkpointsOf(runId, { before: last.seq, signal })
}
