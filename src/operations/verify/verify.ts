import { DATABASE_PARTITION, importOf } from '../../storage/keys.ts'
import { TABLES, type Key, type Table } from '../../storage/storage.ts'
import type { Cursor, VerifyReply, VerifyRequest } from '../host.ts'
import type { Store } from '../store/store.ts'
import { checkCheckpoints } from './check-checkpoints.ts'
import { checkMeta } from './check-meta.ts'
import { checkParts } from './check-parts.ts'
import { checkThreads } from './check-threads.ts'
import { checkWrites } from './check-writes.ts'
import { identityOf, problemOf, type Finding, type Found } from './finding.ts'
import { pauses, type Pause } from '../../state/slices/pause.ts'

/** One call looks at this many rows and states, or for so long: then its caller may show progress, or stop. */
const A_CALL = 1000
const A_CALL_MS = 50
/** What is found has to be found so often: a writer may pass between two reads, and not twice in the same way. */
const LOOKS = 3

type Step = (store: Store, partition: string, after: Key | undefined, pause: Pause) => Promise<Found>

const STEPS: Readonly<Record<Table, Step>> = {
  threads: checkThreads,
  meta: checkMeta,
  checkpoints: checkCheckpoints,
  parts: checkParts,
  writes: checkWrites,
}

/** Checks the next rows: each by itself, and what it says of others. Reads a page at a time. */
export async function verify(store: Store, { from }: VerifyRequest): Promise<VerifyReply> {
  const pause = pauses()
  const until = performance.now() + A_CALL_MS
  const findings: Finding[] = []
  let checked = 0
  let at = from ?? (await nextPartition(store))
  while (at && checked < A_CALL && performance.now() < until) {
    const found = await surely(store, at, pause)
    findings.push(...found.findings)
    checked += found.checked
    at = found.last ? { ...at, after: found.last } : (nextTable(at) ?? (await nextPartition(store, at)))
  }
  return { checked, problems: findings.map(problemOf), ...(at ? { next: at } : {}) }
}

/** All that is wrong in one partition, a page of rows at a time. */
export async function* findingsIn(store: Store, partition: string): AsyncGenerator<Found> {
  const pause = pauses()
  for (let at: Cursor | undefined = startOf(partition); at;) {
    const found: Found = await surely(store, at, pause)
    yield found
    at = found.last ? { ...at, after: found.last } : nextTable(at)
  }
}

async function surely(store: Store, { partition, table, after }: Cursor, pause: Pause): Promise<Found> {
  if (await isUnderWay(store, partition)) return { checked: 0, findings: [] }
  const look = (): Promise<Found> => STEPS[table](store, partition, after, pause)
  const first = await look()
  let { findings } = first
  for (let looks = 1; looks < LOOKS && findings.length > 0; looks++) {
    const again = new Set((await look()).findings.map(identityOf))
    findings = findings.filter((finding) => again.has(identityOf(finding)))
  }
  return { ...first, findings }
}

const startOf = (partition: string): Cursor => ({ partition, table: TABLES[0] })

function nextTable({ partition, table }: Cursor): Cursor | undefined {
  const next = TABLES[TABLES.indexOf(table) + 1]
  return next && { partition, table: next }
}

/** What an import has brought so far belongs to nobody until it is published. */
async function isUnderWay(store: Store, partition: string): Promise<boolean> {
  const key = importOf(partition)
  if (!key) return false
  const [rows = []] = await store.storage.read(DATABASE_PARTITION, [{ table: 'meta', keys: [key] }])
  return rows.length > 0
}

async function nextPartition(store: Store, at?: Cursor): Promise<Cursor | undefined> {
  const [next] = await store.storage.partitions({ limit: 1, ...(at ? { after: at.partition } : {}) })
  return next === undefined ? undefined : startOf(next)
}
