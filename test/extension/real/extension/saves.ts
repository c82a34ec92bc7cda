import type { Thread } from 'forkpoint'

interface Counted {
  readonly n: number
  readonly text: string
}

const BURST = 50

/** Saves one after the other, each when the one before it is durable; milliseconds for all. */
export async function saveMany(thread: Thread<Counted>, count: number, from = 1): Promise<number> {
  const begun = performance.now()
  for (let n = from; n < from + count; n++)
    await thread.save({ n, text: `message ${n} of an agent, with some words` })
  return performance.now() - begun
}

/** None waits for another, in bursts; resolves when all are saved. */
export async function saveAtOnce(thread: Thread<Counted>, count: number): Promise<void> {
  const saves: Promise<unknown>[] = []
  for (let n = 1; n <= count; n++) {
    saves.push(thread.save({ n, text: `message ${n}` }))
    if (n % BURST === 0) await new Promise((resolve) => setTimeout(resolve, 60))
  }
  await Promise.all(saves)
}

/** The numbers of all its states, as they stand in the history. */
export async function numbersIn(thread: Thread<Counted>): Promise<number[]> {
  const numbers: number[] = []
  for await (const { state } of thread.history({ order: 'oldest', states: true })) numbers.push(state.n)
  return numbers
}
