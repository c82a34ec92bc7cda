import { checkpointPartsOf, ownerOfPart, seqRange, writePartsOf } from '../../storage/keys.ts'
import { compareKeys, type Batch, type Query, type Row, type Table } from '../../storage/storage.ts'
import { shows, withGone, type Segment } from '../rows/lanes.ts'
import { threadPut, withWrites, type ThreadRow } from '../rows/thread-row.ts'
import type { Store } from '../store/store.ts'
import { checkThread } from '../store/threads.ts'
import { unlessUnread } from '../store/unread.ts'
import { look } from '../verify/look.ts'
import { namedParts } from '../rows/write-row.ts'
import { commitGuarded, setAside, type Outcome } from './quarantine.ts'

/** Sets a row aside with the parts that are its own; who showed it as a checkpoint stops to. */
export async function takeOut(
  store: Store,
  partition: string,
  table: Table,
  row: Row,
  why: string,
): Promise<Outcome> {
  const [lane, seq] = [String(row.key[0]), Number(row.key[1])]
  const { family, rows } = await look(store, partition, [
    { table, keys: [row.key] },
    ...ownParts(table, lane, seq),
  ])
  const [[found] = [], writes = [], ...parts] = rows
  if (found?.version !== row.version) return 'again'
  const own =
    table === 'writes' ? unnamed(partition, parts.flat(), writes, row) : [...writes, ...parts.flat()]
  const losers =
    table === 'checkpoints' ? family.threads.filter(({ facts }) => shows(facts.segments, lane, seq)) : []
  const writer = table === 'writes' ? family.threads.find(({ facts }) => facts.lane === lane) : undefined
  const batches: Batch[] = [
    setAside(partition, table, row, why),
    ...losers.map((thread) => without(thread, lane, seq, seq)),
    ...(writer ? [withFewerWrites(writer)] : []),
  ]
  const aside = own.map((part) => setAside(partition, 'parts', part, why))
  let outcome = await commitGuarded(store, family, [...batches, ...aside])
  if (outcome === 'left' && aside.length > 0) outcome = await oneByOne(store, partition, aside, batches)
  if (outcome !== 'done') return outcome
  for (const { facts } of losers)
    store.publish({ type: 'pruned', thread: facts.thread, namespace: facts.namespace, seqs: [seq] })
  return 'done'
}

/** The same where a commit is too small for all of it: parts first, since the row says whose they are. */
async function oneByOne(
  store: Store,
  partition: string,
  parts: readonly Batch[],
  last: readonly Batch[],
): Promise<Outcome> {
  for (const batches of [...parts.map((part) => [part]), last]) {
    const { family } = await look(store, partition, [])
    const outcome = await commitGuarded(store, family, batches)
    if (outcome !== 'done') return outcome
  }
  return 'done'
}

function ownParts(table: Table, lane: string, seq: number): Query[] {
  if (table === 'checkpoints')
    return checkpointPartsOf(lane, seq).map((range) => ({ table: 'parts', ...range }))
  if (table !== 'writes') return []
  return [
    { table: 'writes', ...seqRange(lane, seq, seq) },
    { table: 'parts', ...writePartsOf(lane, seq) },
  ]
}

/** Parts that no other pending write of the same checkpoint names. */
function unnamed(partition: string, parts: readonly Row[], writes: readonly Row[], gone: Row): Row[] {
  const owners = writes
    .filter(({ key }) => compareKeys(key, gone.key) !== 0)
    .map((write) => unlessUnread(() => namedParts(partition, write)))
  return parts.filter(
    (part) => !owners.some((named) => named === undefined || named?.[0] === ownerOfPart(part.key)),
  )
}

const withFewerWrites = (thread: ThreadRow): Batch => ({
  checks: [checkThread(thread)],
  puts: [threadPut(thread.partition, withWrites(thread.facts, -1))],
})

/** A thread that no longer looks for some rows of a lane. */
export function without(thread: ThreadRow, lane: string, from: number, to: number): Batch {
  const segments = thread.facts.segments.map((segment): Segment =>
    segment.lane === lane ? { ...segment, gone: withGone(segment.gone, [[from, to]]) } : segment,
  )
  return {
    checks: [checkThread(thread)],
    puts: [threadPut(thread.partition, { ...thread.facts, segments })],
  }
}
