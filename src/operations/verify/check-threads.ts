import { checkpointKey, seqRange, threadKey } from '../../storage/keys.ts'
import type { ListedRow, Query, Row } from '../../storage/storage.ts'
import { laneOf } from '../rows/lanes.ts'
import { openThread, type ThreadFacts, type ThreadRow } from '../rows/thread-row.ts'
import type { Store } from '../store/store.ts'
import type { Finding, Found } from './finding.ts'
import { isSame, lastOf, look, pageOf, readingOf } from './look.ts'
import type { Pause } from '../../state/slices/pause.ts'
import { countWrites } from './count-writes.ts'
import { checkClaims, stretchesOf, type Wrong } from './thread-claims.ts'

const PAGE = 32
/** Enough rows behind a head to find one that is shown. */
const BEHIND = 32
const END = Number.MAX_SAFE_INTEGER - 1

/** The rows of threads: what each says of its checkpoints, its lanes, its place in the list. */
export async function checkThreads(
  store: Store,
  partition: string,
  after: Row['key'] | undefined,
  pause: Pause,
): Promise<Found> {
  const page = pageOf('threads', after, PAGE)
  const [seen = []] = await store.storage.read(partition, [page])
  const asked = seen.map((row) => ({ row, queries: queriesFor(partition, row) }))
  const seenNow = await look(store, partition, [page, ...asked.flatMap(({ queries }) => queries)])
  const [rows = [], ...answers] = seenNow.rows
  const findings: Finding[] = []
  for (const row of rows) {
    await pause()
    const wrong = readingOf(partition, 'threads', row, () => openThread(partition, row))
    if (wrong) findings.push(wrong)
  }
  for (const { row, queries } of asked) {
    await pause()
    const beside = answers.splice(0, queries.length)
    // A row that has changed since was asked about as it was: the writer's commit says enough of it.
    const isThere = rows.some((now) => isSame(now, row))
    if (isThere && queries.length > 0) {
      const thread = openThread(partition, row)
      const about = { table: 'threads', partition, row, ...placeOf(thread.facts) } as const
      findings.push(...checkClaims(seenNow, thread, beside).map((wrong) => ({ ...about, ...wrong })))
      findings.push(...(await checkIndexes(store, thread, row)).map((wrong) => ({ ...about, ...wrong })))
    }
  }
  return { checked: rows.length, findings, ...lastOf(rows, PAGE) }
}

const placeOf = ({ thread, namespace }: ThreadFacts) => ({ thread, namespace })

/** The head's row and the keyframe below it, what may be newer, and one row of each stretch that must have some. */
function queriesFor(partition: string, row: Row): Query[] {
  if (readingOf(partition, 'threads', row, () => openThread(partition, row))) return []
  const thread = openThread(partition, row)
  const { head, segments, lane } = thread.facts
  return [
    {
      table: 'checkpoints',
      keys: head
        ? [head.seq, head.frame.root].map((seq) => checkpointKey(laneOf(segments, seq).lane, seq))
        : [],
    },
    { table: 'checkpoints', ...seqRange(lane, (head?.seq ?? 0) + 1, END), reverse: true, limit: BEHIND },
    ...stretchesOf(thread).map(([its, from, to]): Query => ({
      table: 'checkpoints',
      ...seqRange(its, from, to),
      limit: 1,
    })),
  ]
}

/** Whether it is found by its name, has its writes, and stands in the list where it belongs. */
async function checkIndexes(store: Store, { partition, facts }: ThreadRow, row: Row): Promise<Wrong[]> {
  const key = threadKey(facts.thread, facts.namespace)
  const [first] =
    facts.namespace === ''
      ? await store.storage.list({ limit: 1, after: { rank: facts.updatedAt, key: [unlisted(key)] } })
      : []
  const writes = await countWrites(store, partition, facts.lane)
  const found = await store.storage.locate(key)
  if (found?.partition !== partition)
    return [{ kind: 'index', problem: 'It is not found by its name, or elsewhere.' }]
  // It has changed since it was read: the list is of another moment.
  if (found.row.version !== row.version) return []
  return [...checkCount(facts, writes), ...checkListed(facts, row, first)]
}

function checkCount({ writes = 0 }: ThreadFacts, count: number): Wrong[] {
  if (writes === count) return []
  const problem = `It says that it has ${writes} pending writes, but there are ${count}.`
  return [{ kind: 'missing', table: 'writes', problem }]
}

function checkListed(facts: ThreadFacts, row: Row, first: ListedRow | undefined): Wrong[] {
  if (facts.namespace !== '') return []
  if (first && isSame(first, row) && first.rank === facts.updatedAt) return []
  return [{ kind: 'index', problem: 'It does not stand in the list of threads where it belongs.' }]
}

/** A key right before that of the thread's row: its name alone. */
const unlisted = (key: Row['key']): string => key[0] as string
