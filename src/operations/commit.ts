import { CheckpointerError } from '../errors.ts'
import type { Batch, Put } from '../storage/storage.ts'
import type { Store } from './store.ts'

/** How often a commit is tried again when others keep being first. */
const MAX_TRIES = 60

/** Repeats `attempt` while it reports a conflict with another writer. */
export async function untilCommitted<T>(
  attempt: (tried: number) => Promise<T | typeof LOST_RACE>,
): Promise<T> {
  for (let tried = 0; tried < MAX_TRIES; tried++) {
    const result = await attempt(tried)
    if (result !== LOST_RACE) return result
    // The first tries at once, then with a growing random pause, so that many writers come apart.
    if (tried > 2)
      await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(tried * 2, 50)))
  }
  throw new CheckpointerError(
    'CONFLICT',
    `Other writers were first ${MAX_TRIES} times in a row. Try again later.`,
  )
}

/** Another writer was first: look again. */
export const LOST_RACE = Symbol('lost race')

/**
 * Commits, or says that another writer was first. Parts that do not fit beside the rest are written first: nobody
 * sees them until the row that names them is there, and they go again when it does not come.
 */
export async function tryCommit(
  store: Store,
  partition: string,
  batch: Batch,
): Promise<string | typeof LOST_RACE> {
  const { storage } = store
  const early = weigh(batch.puts) <= storage.limits.commitBytes ? [] : (batch.puts ?? []).filter(isPart)
  for (const puts of inCommits(storage.limits.commitBytes, early)) await storage.commit(partition, { puts })
  const rest =
    early.length === 0 ? batch : { ...batch, puts: (batch.puts ?? []).filter((put) => !isPart(put)) }
  const takeBack = async (): Promise<void> => {
    if (early.length > 0)
      await storage.commit(partition, { deletes: early.map(({ table, key }) => ({ table, key })) })
  }
  try {
    const result = await storage.commit(partition, rest)
    if (result.ok) return result.version
  } catch (error) {
    // Only where it is certain that the rest was not written: else the parts may be needed.
    if (CheckpointerError.is(error, 'TOO_LARGE') || CheckpointerError.is(error, 'QUOTA')) await takeBack()
    throw error
  }
  await takeBack()
  return LOST_RACE
}

/** Whether one commit can hold this, with parts that are too heavy written before. */
export function fitsCommit(
  { storage: { limits } }: Store,
  { checks = [], puts = [], deletes = [], deleteRanges = [] }: Batch,
): boolean {
  const operations = checks.length + puts.length + deletes.length + deleteRanges.length
  return operations <= limits.operations && weigh(puts.filter((put) => !isPart(put))) <= limits.commitBytes
}

const isPart = ({ table }: Put): boolean => table === 'parts'

const weigh = (puts: Batch['puts'] = []): number =>
  puts.reduce((sum, { head, body }) => sum + head.length + (body?.length ?? 0), 0)

/** Puts in groups of which each fits a commit. */
function inCommits(most: number, puts: readonly Put[]): Put[][] {
  const groups: Put[][] = []
  for (const put of puts) {
    const last = groups.at(-1)
    if (last && weigh([...last, put]) <= most) last.push(put)
    else groups.push([put])
  }
  return groups
}
