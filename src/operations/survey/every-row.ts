import { allRows } from '../../storage/keys.ts'
import { TABLES, type Row, type Table } from '../../storage/storage.ts'
import type { Store } from '../store/store.ts'

/** Rows that come with a body are read few at a time. */
export const ROWS_A_READ: Readonly<Record<Table, number>> = {
  threads: 500,
  checkpoints: 200,
  parts: 8,
  writes: 200,
  meta: 500,
}
const PARTITIONS = 500

export async function* partitions(store: Store): AsyncGenerator<string> {
  for (let after: string | undefined; ;) {
    const found = await store.storage.partitions({
      limit: PARTITIONS,
      ...(after === undefined ? {} : { after }),
    })
    yield* found
    if (found.length < PARTITIONS) return
    after = found.at(-1) as string
  }
}

export async function* everyRow(
  store: Store,
  partition: string,
): AsyncGenerator<{ readonly table: Table; readonly row: Row }> {
  for (const table of TABLES) {
    let { from, to } = allRows()
    const limit = ROWS_A_READ[table]
    for (;;) {
      const [rows = []] = await store.storage.read(partition, [{ table, from, to, limit }])
      for (const row of rows) yield { table, row }
      const last = rows.at(-1)
      if (!last || rows.length < limit) break
      // The next key after this one: the same with one more part.
      from = [...last.key, 0]
    }
  }
}
