import { openCheckpointer, type Loop } from 'forkpoint'
import { jsonBytes } from '../../agent-loop.ts'
import { STEPPERS, type Stepper, type StepTimings } from './api.ts'
import { openRaw } from './raw.ts'
import { pause, timed } from './timing.ts'

/** A model's answer of some hundred bytes. */
const OUTCOME = { role: 'assistant', content: 'the next step opens the first result '.repeat(20) }
/** Steps between two checkpoints of the run; so that a journal is as long as those of agents are. */
const BETWEEN_SAVES = 10
/** Between two steps: what was left to be written behind one is written. */
const BETWEEN = 8

/** Steps of a run whose function does nothing, against a raw put of what they give, in an order that changes. */
export async function steps({ times }: { readonly times: number }): Promise<StepTimings> {
  const raw = await openRaw('bench-outcomes')
  const checkpointer = await openCheckpointer({ name: 'bench-steps' })
  const timings: StepTimings = { raw: [], plain: [], two: [], external: [] }
  await checkpointer.thread('t').run({}, async (loop) => {
    for (let i = 0; i < times; i++) {
      if (i % BETWEEN_SAVES === 0) await loop.save()
      for (let turn = 0; turn < STEPPERS.length; turn++) {
        const name = STEPPERS[(i + turn) % STEPPERS.length] as Stepper
        await pause(BETWEEN)
        const { wall } = await timed(() => doing[name](loop, () => raw.put(i, jsonBytes(OUTCOME))))
        // The first ones make the database.
        if (i > 0) timings[name].push(wall)
      }
    }
  })
  raw.close()
  await checkpointer.destroy()
  return timings
}

const plain = (loop: Loop): Promise<unknown> => loop.step('plain', () => OUTCOME)

const doing: Record<Stepper, (loop: Loop, put: () => Promise<void>) => Promise<unknown>> = {
  raw: (_, put) => put(),
  plain,
  two: (loop) => plain(loop).then(() => plain(loop)),
  external: (loop) => loop.step('external', () => OUTCOME, { effect: 'external' }),
}
