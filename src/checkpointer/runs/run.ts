import { CheckpointerError } from '../../errors.ts'
import {
  checkFlag,
  checkFunction,
  checkIdAt,
  checkOptions,
  checkSignal,
  type Names,
} from '../options/options.ts'
import { begin } from './begin.ts'
import { fail, finish } from './ending.ts'
import type { Ground } from './ground/ground.ts'
import { RunningLoop } from './running-loop.ts'
import { Turn } from './ground/turn.ts'
import { untilStopped } from './until-stopped.ts'
import type { Loop, RunEnd, RunOptions } from './types.ts'

const RUN: Names<RunOptions> = {
  initial: true,
  runId: true,
  signal: true,
  wait: true,
  steal: true,
  from: true,
  edit: true,
  retry: true,
}

export async function runLoop<State, Result>(
  ground: Ground<State>,
  given: RunOptions<State>,
  work: (loop: Loop<State>) => Result | PromiseLike<Result>,
): Promise<RunEnd<Awaited<Result>>> {
  if (typeof (given as unknown) === 'function')
    throw new CheckpointerError('INVALID', 'run takes its options first: run({}, loop).', { path: 'options' })
  const options = checkOptions<RunOptions<State>>('run', given, RUN)
  checkSignal(options.signal)
  if (options.runId !== undefined) checkIdAt('runId', 'A run id', options.runId)
  checkFunction('edit', options.edit)
  checkFlag('retry', options.retry)
  if (typeof work !== 'function') throw new CheckpointerError('INVALID', 'The loop must be a function.')
  const turn = await Turn.take(ground, options)
  try {
    const beginning = await begin(turn, options)
    if (beginning.began === 'already-finished') {
      const { runId, status, result } = beginning.end
      return { began: 'already-finished', status, result: result as Awaited<Result>, runId }
    }
    const { began, state } = beginning
    let result: unknown
    const loop: RunningLoop<State> = new RunningLoop(state, beginning, async (value) => {
      await finish(state, loop.state, value)
      result = value
    })
    const forget = ground.writesBehind(loop.behind)
    try {
      const returned = await untilStopped(() => work(loop), loop.signal)
      await loop.ended()
      if (!loop.isOver) await loop.done(returned)
      await loop.close()
    } catch (error) {
      await loop.ended().catch(() => {}) // Then it has not ended by that.
      const isFinished = loop.isOver
      await loop.close()
      // What a page that goes has cut off has not failed: whoever comes next goes on with it.
      await turn.page.known(turn.signal).catch(() => {})
      if (!isFinished) await fail(state, error, loop.failedBy(error))
      throw turn.signal.aborted ? turn.signal.reason : error
    } finally {
      forget()
    }
    return { began, status: 'finished', result: result as Awaited<Result>, runId: state.run.id }
  } finally {
    await turn.end()
  }
}
