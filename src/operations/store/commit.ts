import { CheckpointerError } from '../../errors.ts'
import { randomPause } from '../../platform/random.ts'
import { partitionOf } from '../../storage/keys.ts'
import { bytesOf, type Batch, type Check, type Limits, type Put } from '../../storage/storage.ts'
import type { Place } from '../host.ts'
import { checkFence, withFence } from './fence.ts'
import type { Store } from './store.ts'

/** How often a commit is tried at least when others keep being first. */
const MAX_TRIES = 60
/** For how long it is tried at least, in milliseconds: where there are no turns it may take many more tries. */
const LEAST_TIME = 10_000

/** What is written by trying: `partition` is where, as far as is known by now. */
interface Attempts {
  readonly store: Store
  readonly partition: () => string
}

/** A thread lives where it was last seen. */
export const attemptsOn = (store: Store, place: Place): Attempts => ({
  store,
  partition: () => store.threads.get(place)?.partition ?? partitionOf(place.thread),
})

/** Repeats `attempt` while it reports a conflict with another writer; from a few on, when it is its turn. */
export async function untilCommitted<T>(
  { store: { line }, partition }: Attempts,
  attempt: (tried: number) => Promise<T | typeof LOST_RACE>,
): Promise<T> {
  const started = performance.now()
  let endTurn: (() => void) | undefined
  try {
    for (let tried = 0; tried < MAX_TRIES || performance.now() < started + LEAST_TIME; tried++) {
      // Once it is its turn that stays so: nobody waits for oneself.
      if (!endTurn && tried === line.patience(partition())) endTurn = await line.turn(partition(), tried)
      const result = await attempt(tried)
      if (result !== LOST_RACE) return result
      // The first tries at once. Where there are no turns, with a growing random pause, so that many come apart.
      if (tried > 2 && !endTurn) await randomPause(Math.min(tried * 2, 50))
    }
  } finally {
    endTurn?.()
  }
  throw new CheckpointerError(
    'CONFLICT',
    `Other writers were first each time, for ${LEAST_TIME / 1000} s and more. Try again later.`,
  )
}

/**
 * The same for what recognises what it has written: when the storage cannot say whether a commit was made, it is
 * repeated once, reads, and knows. If it cannot be looked at either, nobody does.
 */
export async function untilRecognised<T>(
  attempts: Attempts,
  attempt: (tried: number) => Promise<T | typeof LOST_RACE>,
): Promise<T> {
  let unsure: CheckpointerError | undefined
  return untilCommitted<T>(attempts, async (tried) => {
    try {
      return await attempt(tried)
    } catch (error) {
      if (unsure) throw isDecided(error) ? error : unsure
      if (!isUnsure(error)) throw error
      unsure = error
      return LOST_RACE
    }
  })
}

/** Whether a commit was made, the storage could not say. */
export const isUnsure = (error: unknown): error is CheckpointerError =>
  CheckpointerError.is(error, 'FAILED') && error.outcome === 'unknown'

/** It was refused by what was read; else the storage was not there to be asked. */
const isDecided = (error: unknown): boolean =>
  CheckpointerError.is(error) && !['FAILED', 'BLOCKED', 'CLOSED', 'WORKER_LOST'].includes(error.code)

/** Another writer was first: look again. */
export const LOST_RACE = Symbol('lost race')

/**
 * Commits, or says that another writer was first. Parts that do not fit beside the rest are written first: nobody
 * sees them until the row that names them is there, and they go again when it does not come.
 */
export async function tryCommit(
  store: Store,
  partition: string,
  unfenced: Batch,
): Promise<string | typeof LOST_RACE> {
  const { storage } = store
  const batch = withFence(store, unfenced)
  const early = fitsLimits(storage.limits, batch) ? [] : (batch.puts ?? []).filter(isPart)
  const written: Put[] = []
  const takeBack = async (): Promise<void> => {
    const deletions = written.map(({ table, key }) => ({ deletes: [{ table, key }] }))
    for (const some of inCommits(storage.limits, deletions)) await storage.commit(partition, some)
  }
  // As long as it is certain that the rest is not there: else the parts may be needed.
  let isCertain = true
  try {
    const ahead: Check[] = []
    const pieces = early.map((put) => ({ puts: [put] }))
    for (const { puts } of inCommits(storage.limits, pieces)) {
      const result = await storage.commit(partition, { puts })
      written.push(...puts)
      const [first] = puts
      // If the partition is emptied meanwhile, all else may look as it did before, but this part is gone.
      if (ahead.length === 0 && first && result.ok)
        ahead.push({ table: 'parts', key: first.key, version: result.version })
    }
    isCertain = false
    const puts = (batch.puts ?? []).filter((put) => early.length === 0 || !isPart(put))
    const result = await storage.commit(partition, {
      ...batch,
      puts,
      checks: [...(batch.checks ?? []), ...ahead],
    })
    if (result.ok) {
      store.keeper.put(partition, bytesIn(batch.puts ?? []))
      store.line.won(partition)
      return result.version
    }
  } catch (error) {
    if (isCertain || CheckpointerError.is(error, 'TOO_LARGE') || CheckpointerError.is(error, 'QUOTA'))
      await takeBack().catch(() => {})
    throw error
  }
  await takeBack().catch(() => {})
  await checkFence(store, partition)
  return LOST_RACE
}

/** Whether one commit can hold this, with its parts written before if need be. */
export function fitsCommit(store: Store, unfenced: Batch): boolean {
  const { limits } = store.storage
  const batch = withFence(store, unfenced)
  if (fitsLimits(limits, batch)) return true
  // With parts written before, one check more.
  const rest = { ...batch, puts: (batch.puts ?? []).filter((put) => !isPart(put)) }
  return fitsLimits({ ...limits, operations: limits.operations - 1 }, rest)
}

function fitsLimits(
  limits: Limits,
  { checks = [], puts = [], deletes = [], deleteRanges = [] }: Batch,
): boolean {
  const operations = checks.length + puts.length + deletes.length + deleteRanges.length
  return operations <= limits.operations && bytesIn(puts) <= limits.commitBytes
}

const isPart = ({ table }: Put): boolean => table === 'parts'

export const bytesIn = (puts: readonly Put[]): number => puts.reduce((sum, put) => sum + bytesOf(put), 0)

type Change = Pick<Batch, 'puts' | 'deletes'>

/** Changes of a row each, joined: as many as one commit takes. */
export function* inCommits(limits: Limits, changes: readonly Change[]): Generator<Required<Change>> {
  let some: Change[] = []
  let bytes = 0
  const join = (): Required<Change> => ({
    puts: some.flatMap(({ puts = [] }) => puts),
    deletes: some.flatMap(({ deletes = [] }) => deletes),
  })
  for (const change of changes) {
    const more = bytesIn(change.puts ?? [])
    if (some.length > 0 && (some.length === limits.operations || bytes + more > limits.commitBytes)) {
      yield join()
      some = []
      bytes = 0
    }
    some.push(change)
    bytes += more
  }
  if (some.length > 0) yield join()
}
