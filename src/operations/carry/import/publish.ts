import { CheckpointerError } from '../../../errors.ts'
import { STAGED, threadKey } from '../../../storage/keys.ts'
import { bytesOf, type Batch, type Row } from '../../../storage/storage.ts'
import { inCommits, LOST_RACE, tryCommit } from '../../store/commit.ts'
import { familyQuery, openFamily, readFamily, renewFamily } from '../../store/family.ts'
import { birthPut } from '../../rows/birth-row.ts'
import { openMeta } from '../../rows/meta-row.ts'
import { seal } from '../../rows/seal.ts'
import { threadPut, type ThreadFacts } from '../../rows/thread-row.ts'
import type { Store } from '../../store/store.ts'
import { patiently } from './patiently.ts'
import { wipe } from './stage.ts'

/** The rows of threads that an import has laid aside in one of its partitions. */
export interface Staged {
  readonly row: Row
  readonly facts: ThreadFacts
}

/** Told of a staged row that cannot be read, which is passed over then. */
type OnDamage = (error: CheckpointerError) => void

const refuse: OnDamage = (error) => {
  throw error
}

export async function readStaged(store: Store, partition: string, onDamage = refuse): Promise<Staged[]> {
  const [rows = []] = await store.storage.read(partition, [{ table: 'meta', ...STAGED }])
  return rows.flatMap((row): Staged[] => {
    try {
      return [{ row, facts: openMeta('staged', partition, row) }]
    } catch (error) {
      if (!CheckpointerError.is(error, 'CORRUPT')) throw error
      onDamage(error)
      return []
    }
  })
}

/** Gives staged threads the names that they are to have; those without one are dropped. */
export async function nameStaged(
  store: Store,
  partition: string,
  names: ReadonlyMap<string, string | undefined>,
  onDamage = refuse,
): Promise<void> {
  const nameFor = (thread: string): string | undefined => (names.has(thread) ? names.get(thread) : thread)
  const staged = await readStaged(store, partition, onDamage)
  if (staged.some(({ facts }) => nameFor(facts.thread) === undefined))
    await markUntidy(store, partition, staged)
  const changes = staged.flatMap(({ row, facts }): Batch[] => {
    const thread = nameFor(facts.thread)
    const { key } = row
    if (thread === undefined) return [{ deletes: [{ table: 'meta', key }] }]
    const { forkOf } = facts
    const from = forkOf && { ...forkOf, thread: nameFor(forkOf.thread) ?? forkOf.thread }
    if (thread === facts.thread && from?.thread === forkOf?.thread) return []
    const named = { ...facts, thread, ...(from ? { forkOf: from } : {}) }
    return [{ puts: [{ table: 'meta', key, head: seal(partition, 'meta', key, named) }] }]
  })
  for (const batch of inCommits(store.storage.limits, changes)) await store.storage.commit(partition, batch)
}

/** Somewhere in the lanes of these stand rows that nobody will show: a sweep goes there. */
export async function markUntidy(store: Store, partition: string, staged: readonly Staged[]): Promise<void> {
  const lanes = new Set(staged.flatMap(({ facts }) => facts.segments.map(({ lane }) => lane)))
  const [family] = await store.storage.read(partition, [familyQuery])
  const { check, put } = renewFamily(partition, openFamily(partition, family), [...lanes])
  await store.storage.commit(partition, { checks: [check], puts: [put] })
}

interface Publishing {
  /** Asked when there is such a thread by now: for another name, or none. */
  readonly onTaken: (thread: string) => Promise<string | undefined>
  readonly onPublished?: (thread: ThreadFacts) => void
  readonly onDamage?: OnDamage
}

/** So many tries in a row may come to nothing as others were first. */
const MOST_LOST = 1000

/**
 * Lets the threads of one partition be seen. Where one commit cannot hold them all there are several, each of them whole; whoever finds staged rows
 * that are to be published goes on with them.
 */
export async function publishPartition(
  store: Store,
  partition: string,
  publishing: Publishing,
): Promise<void> {
  const { onPublished = () => {}, onDamage = refuse } = publishing
  let tried: readonly Staged[] = []
  const step = async (): Promise<'all' | 'some' | typeof LOST_RACE> => {
    let isWhole = true
    const staged = await readStaged(store, partition, (error) => {
      isWhole = false
      onDamage(error)
    })
    // Also after a commit that has failed, and was made all the same.
    const left = new Set(staged.map(({ row }) => row.key[1]))
    for (const { row, facts } of tried) if (!left.has(row.key[1])) onPublished(facts)
    tried = []
    if (staged.length === 0) {
      // What stands beside a row that cannot be read may be its own.
      if (isWhole) await clearUnused(store, partition)
      return 'all'
    }
    const some = fitting(store, partition, staged)
    tried = some
    if ((await commitSome(store, partition, some)) === LOST_RACE) {
      tried = []
      await makeWay(store, partition, some, publishing)
      return LOST_RACE
    }
    if (!isWhole || some.length < staged.length) return 'some'
    for (const { facts } of some) onPublished(facts)
    return 'all'
  }
  for (let lost = 0; lost < MOST_LOST;) {
    const result = await patiently(step)
    if (result === 'all') return
    lost = result === LOST_RACE ? lost + 1 : 0
  }
  throw new CheckpointerError('CONFLICT', 'Other writers kept taking the names of imported threads.')
}

async function commitSome(
  store: Store,
  partition: string,
  some: readonly Staged[],
): Promise<string | typeof LOST_RACE> {
  const [family] = await store.storage.read(partition, [familyQuery])
  const { check, put } = renewFamily(partition, openFamily(partition, family))
  return tryCommit(store, partition, {
    checks: [
      check,
      ...some.flatMap(({ row, facts }) => [
        { table: 'meta', key: row.key, version: row.version } as const,
        { table: 'threads', key: threadKey(facts.thread, facts.namespace), version: undefined } as const,
      ]),
    ],
    puts: [put, ...some.flatMap(({ facts }) => [threadPut(partition, facts), birthPut(partition, facts)])],
    deletes: some.map(({ row }) => ({ table: 'meta', key: row.key })),
  })
}

/** Where no thread came to be seen, all that was staged is for nothing. */
async function clearUnused(store: Store, partition: string): Promise<void> {
  const { threads, damaged } = await readFamily(store, partition)
  if (threads.length + damaged.length === 0) await wipe(store, partition)
}

/** A staged row takes two checks, two puts and a deletion. */
const OPERATIONS = 5

/** As many as one commit takes; the whole of a thread stays together where it can. */
function fitting(store: Store, partition: string, staged: readonly Staged[]): readonly Staged[] {
  const { operations, commitBytes } = store.storage.limits
  const all = [...staged].sort(byThread)
  let bytes = 0
  const end = all.findIndex(({ facts }, i) => {
    bytes += bytesOf(threadPut(partition, facts)) * 2
    return i > 0 && ((i + 1) * OPERATIONS > operations - 2 || bytes > commitBytes / 2)
  })
  if (end < 0) return all
  const cut = all.findIndex(({ facts }) => facts.thread === all[end]?.facts.thread)
  return all.slice(0, cut > 0 ? cut : end)
}

const byThread = ({ facts: { thread: a } }: Staged, { facts: { thread: b } }: Staged): number =>
  a === b ? 0 : a < b ? -1 : 1

async function makeWay(
  store: Store,
  partition: string,
  staged: readonly Staged[],
  { onTaken, onDamage }: Publishing,
): Promise<void> {
  for (const thread of new Set(staged.map(({ facts }) => facts.thread))) {
    const found = await store.storage.locate(threadKey(thread, ''))
    if (!found) continue
    // In this partition it may be the imported one, as it was published before; else it is a fork of one that was.
    if (found.partition === partition && !(await isStaged(store, partition, thread))) continue
    await nameStaged(store, partition, new Map([[thread, await onTaken(thread)]]), onDamage)
  }
}

async function isStaged(store: Store, partition: string, thread: string): Promise<boolean> {
  const staged = await readStaged(store, partition, () => {})
  return staged.some(({ facts }) => facts.thread === thread && facts.namespace === '')
}
