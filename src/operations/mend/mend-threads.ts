import { seqOf, seqRange, threadKey } from '../../storage/keys.ts'
import { compareKeys, type Row } from '../../storage/storage.ts'
import type { Family } from '../store/family.ts'
import { newestFirst } from '../store/find.ts'
import { birthPut, type Birth, type BirthFacts } from '../rows/birth-row.ts'
import type { CheckpointFacts } from '../rows/checkpoint-row.ts'
import { newLane } from '../rows/lanes.ts'
import { emptyThread, threadPut, withWrites, type ThreadFacts, type ThreadRow } from '../rows/thread-row.ts'
import type { Store } from '../store/store.ts'
import { checkThread } from '../store/threads.ts'
import { countWrites } from '../verify/count-writes.ts'
import type { Finding } from '../verify/finding.ts'
import { look } from '../verify/look.ts'
import { commitGuarded, setAside, type Outcome } from './quarantine.ts'
import { rebuiltFacts } from './rebuild.ts'

const END = Number.MAX_SAFE_INTEGER - 1

/** A thread's row that cannot be read: set aside, and made again if it is known which lane was its own. */
export async function mendThreadRow(
  store: Store,
  partition: string,
  row: Row,
  why: string,
): Promise<Outcome> {
  const { family, rows } = await look(store, partition, [{ table: 'threads', keys: [row.key] }])
  if (rows[0]?.[0]?.version !== row.version) return 'again'
  const { checks, puts, deletes } = setAside(partition, 'threads', row, why)
  const birth = family.births.find(
    ({ lane, facts }) =>
      compareKeys(threadKey(facts.thread, facts.namespace), row.key) === 0 && !isOwned(family, lane),
  )
  if (!birth) return commitGuarded(store, family, [{ checks, puts, deletes }])
  const facts = await rebuilt(store, family, birth.lane, birth.facts)
  return commitGuarded(store, family, [{ checks, puts: [...puts, threadPut(partition, facts)] }])
}

/** A lane whose thread has no row: it gets one, or another name when there is a new thread of its name. */
export async function mendLostThread(store: Store, partition: string, lane: string): Promise<Outcome> {
  const { family } = await look(store, partition, [])
  const birth = family.births.find((each) => each.lane === lane)
  if (!birth) return 'again'
  const key = threadKey(birth.facts.thread, birth.facts.namespace)
  const isTaken = (await store.storage.locate(key)) !== undefined
  if (!isTaken) {
    const facts = await rebuilt(store, family, lane, birth.facts)
    const check = { table: 'threads', key, version: undefined } as const
    return commitGuarded(store, family, [{ checks: [check], puts: [threadPut(partition, facts)] }])
  }
  return rescue(store, family, lane, birth.facts, birth)
}

/** Checkpoints in a lane that nothing is known of. */
export async function rescue(
  store: Store,
  family: Family,
  lane: string,
  born: Omit<BirthFacts, 'thread' | 'namespace'>,
  birth?: Birth,
): Promise<Outcome> {
  const { partition } = family
  const named: BirthFacts = { ...born, thread: rescuedName(lane), namespace: '' }
  const facts = await rebuilt(store, family, lane, named)
  const key = threadKey(named.thread, '')
  return commitGuarded(store, family, [
    {
      checks: [
        { table: 'threads', key, version: undefined },
        ...(birth ? [{ table: 'meta', key: birth.row.key, version: birth.row.version } as const] : []),
      ],
      puts: [threadPut(partition, facts), birthPut(partition, facts)],
    },
  ])
}

export const rescuedName = (lane: string): string => `rescued-${lane}`

async function rebuilt(store: Store, family: Family, lane: string, born: BirthFacts): Promise<ThreadFacts> {
  const facts = await rebuiltFacts(store, family.partition, lane, born)
  const counted = withWrites(facts, await countWrites(store, family.partition, lane))
  return hasOthers(family, counted) ? { ...counted, others: true } : counted
}

const isOwned = ({ threads }: Family, lane: string): boolean =>
  threads.some(({ facts }) => facts.lane === lane)

const hasOthers = ({ threads }: Family, { thread, namespace }: ThreadFacts): boolean =>
  namespace === '' &&
  threads.some(({ facts }) => facts.thread === thread && facts.namespace !== '' && facts.head !== undefined)

/** The row of a thread whose namespaces have no row to be listed by. */
export async function mendRoot(store: Store, partition: string, thread: string): Promise<Outcome> {
  const { family } = await look(store, partition, [])
  const its = family.threads.filter(({ facts }) => facts.thread === thread)
  const createdAt = Math.min(...its.map(({ facts }) => facts.createdAt))
  const root = {
    ...emptyThread({ thread, namespace: '' }, newLane(), createdAt),
    updatedAt: Math.max(...its.map(({ facts }) => facts.updatedAt)),
    others: true,
  }
  const check = { table: 'threads', key: threadKey(thread, ''), version: undefined } as const
  return commitGuarded(store, family, [
    { checks: [check], puts: [threadPut(partition, root), birthPut(partition, root)] },
  ])
}

/** What a row says of head, next seq and other namespaces, made again from what stands there; and its rank. */
export async function mendClaims(
  store: Store,
  { partition, thread, namespace = '' }: Finding,
): Promise<Outcome> {
  const { family } = await look(store, partition, [])
  const row = family.threads.find(({ facts }) => facts.thread === thread && facts.namespace === namespace)
  if (!row) return 'again'
  const { head: _head, others: _others, tips: _tips, ...rest } = row.facts
  const head = await newest(store, row)
  const range = { table: 'checkpoints', ...seqRange(rest.lane, 0, END), reverse: true, limit: 1 } as const
  const [[last] = []] = await store.storage.read(partition, [range])
  const count = await countWrites(store, partition, rest.lane)
  const facts: ThreadFacts = {
    ...withWrites(rest, count - (rest.writes ?? 0)),
    next: Math.max(rest.next, (head?.seq ?? 0) + 1, last ? seqOf(last.key) + 1 : 0),
    ...(head ? { head } : {}),
    ...(hasOthers(family, row.facts) ? { others: true } : {}),
  }
  return commitGuarded(store, family, [{ checks: [checkThread(row)], puts: [threadPut(partition, facts)] }])
}

async function newest(store: Store, row: ThreadRow): Promise<CheckpointFacts | undefined> {
  for await (const { facts } of newestFirst(store, row, { page: 2 })) return facts
  return undefined
}
