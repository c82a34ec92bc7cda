import type { Place, StoredWrite, SyncRow, SyncWrite } from '../host.ts'
import { openWrite, partsOfWrite } from '../rows/write-row.ts'
import { pauses } from '../../state/slices/pause.ts'
import { seqRange } from '../../storage/keys.ts'
import { findCheckpoint } from '../store/find.ts'
import { readThread, type Store } from '../store/store.ts'
import { putWrites } from '../writes.ts'

/**
 * What has come to stand with a checkpoint elsewhere since. A write is made once; of a special one, which overwrites,
 * the later stays.
 */
export async function addWrites(store: Store, place: Place, { info, writes }: SyncRow): Promise<void> {
  if (writes.length === 0) return
  const own = await writesAt(store, place, info.id)
  if (!own) return
  const lacking = writes.filter((write) => {
    const there = own.find(({ taskId, index }) => taskId === write.taskId && index === write.index)
    return !there || (write.index < 0 && write.at > there.at && !isSame(there, write))
  })
  if (lacking.length > 0)
    await putWrites(store, {
      ...place,
      checkpoint: info.id,
      writes: lacking.map(({ at: _at, ...write }) => write),
    })
}

async function writesAt(store: Store, place: Place, id: string): Promise<SyncWrite[] | undefined> {
  const thread = await readThread(store, place)
  const found = thread && (await findCheckpoint(store, thread, { id }))
  if (!found) return undefined
  const { partition, facts } = thread
  const [rows = []] = await store.storage.read(partition, [
    { table: 'writes', ...seqRange(facts.lane, found.seq, found.seq) },
  ])
  const queries = rows.flatMap((row) => partsOfWrite(partition, row))
  const parts = queries.length > 0 ? (await store.storage.read(partition, queries)).flat() : []
  const pause = pauses()
  return Promise.all(
    rows.map(async (row) => {
      const { at, write } = await openWrite(partition, row, parts, pause)
      return { ...write, at }
    }),
  )
}

const isSame = (a: StoredWrite, b: StoredWrite): boolean =>
  a.channel === b.channel && a.body.length === b.body.length && a.body.every((byte, i) => byte === b.body[i])
