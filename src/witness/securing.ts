import type { ReconcileReply } from '../operations/host.ts'
import type { WitnessStore } from './witness-store.ts'

/** How long a place that does not answer may hold up the first change, in milliseconds. */
const MOST_SECURING = 1_000

/**
 * What is asked for beside each change, which is not acknowledged before: it resolves when this database will be missed if
 * it goes, as far as there is a place for that. A database that nothing was ever saved to is not missed.
 */
export function securing(
  store: WitnessStore | undefined,
  identify: () => Promise<Pick<ReconcileReply, 'database'>>,
): () => Promise<void> {
  if (!store) return async () => {}
  const secure = async (): Promise<void> => {
    const { database } = await identify()
    if (database !== undefined) await store.markMade(database)
  }
  let secured: Promise<void> | undefined
  return () => (secured ??= withinTime(secure()))
}

/** Without an end of its own it ends all the same; of what goes wrong with the database its calls are told. */
async function withinTime(work: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, MOST_SECURING)))
  await Promise.race([work.catch(() => undefined), late])
  clearTimeout(timer)
}
