import { seqRange } from '../../storage/keys.ts'
import type { Store } from '../store/store.ts'

const PAGE = 64

/** How many pending writes stand in a lane. */
export async function countWrites(store: Store, partition: string, lane: string): Promise<number> {
  const { to, ...range } = seqRange(lane, 0, Number.MAX_SAFE_INTEGER - 1)
  let count = 0
  for (let { from } = range; ;) {
    const [rows = []] = await store.storage.read(partition, [{ table: 'writes', from, to, limit: PAGE }])
    count += rows.length
    const last = rows.at(-1)
    if (!last || rows.length < PAGE) return count
    from = [...last.key, 0]
  }
}
