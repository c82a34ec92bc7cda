import { pauses } from '../../state/slices/pause.ts'
import { partsOf, seqRange, taskRange } from '../../storage/keys.ts'
import type { Range } from '../../storage/storage.ts'
import type { ReadWritesRequest, StoredWrite } from '../host.ts'
import { namedParts, openWrite, openWrites } from '../rows/write-row.ts'
import { readPlace } from '../store/read-place.ts'
import type { Store } from '../store/store.ts'

/** Small questions, often asked: what a task has yielded since, beside all else that its checkpoint may have. */
export async function readWrites(store: Store, request: ReadWritesRequest): Promise<readonly StoredWrite[]> {
  const found = await readPlace(store, request, async ({ partition, facts: { lane } }, { storage }) => {
    const ranges = rangesOf(lane, request).map((range) => ({ table: 'writes', ...range }) as const)
    const rows = (await storage.read(partition, ranges)).flat()
    const owners = rows.flatMap((row) => namedParts(partition, row)?.[0] ?? [])
    const queries = owners.map(
      (owner) => ({ table: 'parts', ...partsOf(lane, request.checkpoint, owner) }) as const,
    )
    const parts = queries.length === 0 ? [] : (await storage.read(partition, queries)).flat()
    const pause = pauses()
    if (request.taskId === undefined) return openWrites(partition, rows, parts, pause)
    const opened = await Promise.all(rows.map((row) => openWrite(partition, row, parts, pause)))
    return opened.map(({ write }) => write)
  })
  return found ?? []
}

function rangesOf(lane: string, { checkpoint: seq, taskId, from, before }: ReadWritesRequest): Range[] {
  if (taskId === undefined) return [seqRange(lane, seq, seq)]
  const first = before === undefined ? [] : [taskRange(lane, seq, taskId, undefined, before)]
  return [...first, taskRange(lane, seq, taskId, from)]
}
