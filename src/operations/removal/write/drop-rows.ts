import { seqOf, seqRange } from '../../../storage/keys.ts'
import type { Batch, Range } from '../../../storage/storage.ts'
import type { CheckpointRow } from '../../rows/checkpoint-row.ts'
import type { ThreadFacts } from '../../rows/thread-row.ts'
import type { Store } from '../../store/store.ts'
import { partsOfWrite } from '../../rows/write-row.ts'
import type { LaneRows } from '../read/lane-rows.ts'
import type { Loss } from '../losses.ts'
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

/** A thread's own pending writes of what it loses, with their parts. */
export async function dropWrites(store: Store, partition: string, { thread, seqs }: Loss): Promise<Batch> {
  if (seqs.size === 0) return {}
  const { lane } = thread.facts
  const ordered = [...seqs].sort((a, b) => a - b)
  const [lowest, highest] = [ordered[0] as number, ordered.at(-1) as number]
  const query = { table: 'writes', ...seqRange(lane, lowest, highest) } as const
  const [rows = []] = await store.storage.read(partition, [query])
  const gone = rows.filter((row) => seqs.has(seqOf(row.key)))
  return {
    deletes: gone.map(({ key }) => ({ table: 'writes', key })),
    deleteRanges: gone.flatMap((row) => partsOfWrite(partition, row)),
  }
}

export function joinBatches(...batches: readonly Batch[]): Batch {
  return {
    checks: batches.flatMap((batch) => batch.checks ?? []),
    puts: batches.flatMap((batch) => batch.puts ?? []),
    deletes: batches.flatMap((batch) => batch.deletes ?? []),
    deleteRanges: batches.flatMap((batch) => batch.deleteRanges ?? []),
  }
}
