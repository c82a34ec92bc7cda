import { partsOf, taskRange } from '../storage/keys.ts'
import type { ReadWritesRequest, StoredWrite } from './host.ts'
import { namedParts, openWrite } from './rows/write-row.ts'
import { readWhole, type Store } from './store/store.ts'

/** Small questions, often asked: what a task has yielded since, beside all else that its checkpoint may have. */
export async function readWrites(store: Store, request: ReadWritesRequest): Promise<readonly StoredWrite[]> {
  const { checkpoint: seq, taskId, from } = request
  const found = await readWhole(store, request, async ({ partition, facts: { lane } }) => {
    const range = { table: 'writes', ...taskRange(lane, seq, taskId, from) } as const
    const [rows = []] = await store.storage.read(partition, [range])
    const owners = rows.flatMap((row) => namedParts(partition, row)?.[0] ?? [])
    const parts =
      owners.length === 0
        ? []
        : await store.storage.read(
            partition,
            owners.map((owner) => ({ table: 'parts', ...partsOf(lane, seq, owner) })),
          )
    return rows.map((row) => openWrite(partition, row, parts.flat()).write)
  })
  return found ?? []
}
