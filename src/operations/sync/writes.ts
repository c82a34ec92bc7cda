import type { Place, SyncRow, SyncWrite } from '../host.ts'
import { openWrite, partsOfWrite } from '../rows/write-row.ts'
import { pauses } from '../../state/slices/pause.ts'
import { seqRange } from '../../storage/keys.ts'
import { findCheckpoint } from '../store/find.ts'
import type { Store } from '../store/store.ts'
import { readThread } from '../store/threads.ts'
import { putWrites } from '../saving/put-writes.ts'

/**
 * What has come to stand with a checkpoint elsewhere since. A write is made once; of a special one, which overwrites,
 * the later stays.
 */
export async function addWrites(store: Store, place: Place, { info, writes }: SyncRow): Promise<boolean> {
  if (writes.length === 0) return false
  const own = await writesAt(store, place, info.id)
  if (!own) return false
  const lacking = writes.filter((write) => {
    const there = own.find(({ taskId, index }) => taskId === write.taskId && index === write.index)
    return !there || (write.index < 0 && isLater(write, there))
  })
  const { written } = await putWrites(store, { ...place, checkpoint: info.id, writes: lacking })
  return written > 0
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
      const { made, write } = await openWrite(partition, row, parts, pause)
      return { ...write, made }
    }),
  )
}

/** Neither clock tells apart what was made in the same moment: then all stores choose the same by what it is. */
const isLater = (a: SyncWrite, b: SyncWrite): boolean =>
  a.made === b.made ? textOf(a) > textOf(b) : a.made > b.made

const decoder = new TextDecoder()
const textOf = ({ channel, body }: SyncWrite): string => `${channel}\n${decoder.decode(body)}`
