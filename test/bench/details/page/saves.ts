import { openCheckpointer } from 'forkpoint'
import { advance, advanceFrozen, jsonBytes, newState } from '../../agent-loop.ts'
import { CONTENDERS, type Contender, type Kind, type SaveTimings } from './api.ts'
import { openRaw } from './raw.ts'
import { pause, timed, type Timing } from './timing.ts'

/** The names of all that is stored. */
export const NAME = 'bench'
export const NAIVE = 'bench-naive'
export const FLOOR = 'bench-floor'
export const SMALL = 'small'
export const SHORT = 'short'

/** One step in so many is watched by pings, which would slow all steps down. */
const PINGED = 5
/** Between two saves, as a model takes its time; long enough for most of what is done in the background. */
const BETWEEN = 4

/** The loop, saved by all three in each step, in an order that changes from step to step. */
export async function saves({
  steps,
  kind,
}: {
  readonly steps: number
  readonly kind: Kind
}): Promise<SaveTimings> {
  const floor = await openRaw(FLOOR)
  const naive = await openRaw(NAIVE)
  const checkpointer = await openCheckpointer({ name: NAME })
  const thread = checkpointer.thread(kind)
  const timings: SaveTimings = { floor: [], naive: [], forkpoint: [] }
  let state = newState()
  for (let step = 1; step <= steps; step++) {
    state = (kind === 'plain' ? advance : advanceFrozen)(state, step)
    const added = state.messages.slice(-2)
    const save: Record<Contender, () => Promise<unknown>> = {
      floor: () => floor.put(step, jsonBytes(added)),
      naive: () => naive.put(kind, state),
      forkpoint: () => thread.save(state),
    }
    for (let turn = 0; turn < CONTENDERS.length; turn++) {
      const name = CONTENDERS[(step + turn) % CONTENDERS.length] as Contender
      timings[name].push(await timed(save[name], step % PINGED === 0))
      await pause(BETWEEN)
    }
  }
  await checkSame((await checkpointer.thread(kind).load())?.state, state)
  await naive.put(SMALL, { small: true })
  floor.close()
  naive.close()
  await checkpointer.close()
  return timings
}

/** One save right after the other, nothing else running: compaction has to find its time between them. */
export async function burst({
  steps,
  id,
}: {
  readonly steps: number
  readonly id: string
}): Promise<Timing[]> {
  const checkpointer = await openCheckpointer({ name: NAME })
  const thread = checkpointer.thread(id)
  const timings: Timing[] = []
  const state = newState()
  for (let step = 1; step <= steps; step++) {
    advance(state, step)
    timings.push(await timed(() => thread.save(state)))
  }
  await pause(300)
  await checkpointer.close()
  return timings
}

async function checkSame(found: unknown, wanted: unknown): Promise<void> {
  if (JSON.stringify(found) !== JSON.stringify(wanted)) throw new Error('what was saved did not come back')
}
