import { seqOf, seqRange, writePartsOf } from '../../../storage/keys.ts'
import type { Batch, Range, Row } from '../../../storage/storage.ts'
import type { CheckpointRow } from '../../rows/checkpoint-row.ts'
import type { ThreadFacts } from '../../rows/thread-row.ts'
import type { Store } from '../../store/store.ts'
import { unlessDamaged } from '../../store/unread.ts'
import { partsOfWrite } from '../../rows/write-row.ts'
import type { LaneRows } from '../read/lane-rows.ts'
import type { ThreadLoss } from '../losses.ts'
import { rebase, type Rewritten } from './rebase.ts'

interface Dropped {
  readonly batch: Batch
  readonly rewritten: Rewritten
}

/** The batch that deletes rows, and rebases what stands on them. */
export async function dropRows(
  store: Store,
  partition: string,
  lanes: LaneRows,
  remaining: readonly ThreadFacts[],
  dropped: readonly CheckpointRow[],
): Promise<Dropped> {
  if (dropped.length === 0) return { batch: {}, rewritten: new Map() }
  const { batch, rewritten } = await rebase(store, partition, lanes, remaining, dropped)
  const goes = new Set(dropped)
  const names = new Set(dropped.map((row) => row.lane))
  const runs = await Promise.all([...names].map(async (lane) => runsOf(await lanes.of(lane), goes)))
  // Whoever wrote into this lane no longer shows these rows either, so nothing else has parts there.
  const ranges = runs
    .flat()
    .flatMap((range) => [{ table: 'checkpoints', ...range } as const, { table: 'parts', ...range } as const])
  return { batch: joinBatches(batch, { deleteRanges: ranges }), rewritten }
}

/** Neighbours in a lane that all go, as one range each. */
function runsOf(rows: readonly CheckpointRow[], goes: ReadonlySet<CheckpointRow>): Range[] {
  const runs: { lane: string; from: number; to: number }[] = []
  let open = false
  for (const row of rows) {
    const last = runs.at(-1)
    if (!goes.has(row)) open = false
    else if (open && last) last.to = row.seq
    else open = runs.push({ lane: row.lane, from: row.seq, to: row.seq }) > 0
  }
  return runs.map(({ lane, from, to }) => seqRange(lane, from, to))
}

interface DroppedWrites {
  readonly batch: Batch
  readonly count: number
}

/**
 * A thread's own pending writes of what it loses, with their parts. As ranges from what stays to what stays: a run leaves a
 * write or more for each step, and a storage may take few operations in a commit.
 */
export async function dropWrites(
  store: Store,
  partition: string,
  { thread, shown, seqs }: ThreadLoss,
): Promise<DroppedWrites> {
  if (seqs.size === 0) return { batch: {}, count: 0 }
  const { lane } = thread.facts
  const ordered = [...seqs].sort((a, b) => a - b)
  const [lowest, highest] = [ordered[0] as number, ordered.at(-1) as number]
  const query = { table: 'writes', ...seqRange(lane, lowest, highest) } as const
  const [rows = []] = await store.storage.read(partition, [query])
  const all = new Set([...shown.map(({ seq }) => seq), ...rows.map(({ key }) => seqOf(key))])
  const having = new Set(rows.map(({ key }) => seqOf(key)))
  const runs: { from: number; to: number }[] = []
  let open = false
  for (const seq of [...all].sort((a, b) => a - b)) {
    const last = runs.at(-1)
    if (!seqs.has(seq)) open = false
    else if (open && last) last.to = seq
    else if (having.has(seq)) open = runs.push({ from: seq, to: seq }) > 0
  }
  const gone = rows.filter(({ key }) => seqs.has(seqOf(key)))
  const withParts = gone.filter((row) => mayHaveParts(partition, row)).map(({ key }) => seqOf(key))
  return {
    count: gone.length,
    batch: {
      deleteRanges: [
        ...runs.map(({ from, to }) => ({ table: 'writes', ...seqRange(lane, from, to) }) as const),
        ...[...new Set(withParts)].map((seq) => ({ table: 'parts', ...writePartsOf(lane, seq) }) as const),
      ],
    },
  }
}

/** So may one that is damaged: of that nobody knows. */
const mayHaveParts = (partition: string, row: Row): boolean =>
  unlessDamaged(() => partsOfWrite(partition, row))?.length !== 0

export function joinBatches(...batches: readonly Batch[]): Batch {
  return {
    checks: batches.flatMap((batch) => batch.checks ?? []),
    puts: batches.flatMap((batch) => batch.puts ?? []),
    deletes: batches.flatMap((batch) => batch.deletes ?? []),
    deleteRanges: batches.flatMap((batch) => batch.deleteRanges ?? []),
  }
}
