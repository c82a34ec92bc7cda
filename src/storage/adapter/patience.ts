import { randomPause } from '../../platform/random.ts'

/** So long it is tried again when others write. Engines that wait by themselves take longer for each try. */
const PATIENCE = 10_000
const LONGEST_PAUSE = 100

/** What is busy has done nothing, so it may be done again. The pauses are random, lest two meet again and again. */
export async function withPatience<T>(
  isBusy: (error: unknown) => boolean,
  work: () => Promise<T>,
): Promise<T> {
  const since = performance.now()
  for (let most = 4; ; most = Math.min(2 * most, LONGEST_PAUSE)) {
    try {
      return await work()
    } catch (error) {
      if (!isBusy(error) || performance.now() - since > PATIENCE) throw error
    }
    await randomPause(most)
  }
}
