import { allRows } from '../../storage/keys.ts'
import { TABLES, type Row, type Table } from '../../storage/storage.ts'
import type { Store } from '../store.ts'

const PAGE = 500

export async function* partitions(store: Store): AsyncGenerator<string> {
  for (let after: string | undefined; ;) {
    const found = await store.storage.partitions({ limit: PAGE, ...(after === undefined ? {} : { after }) })
    yield* found
    if (found.length < PAGE) return
    after = found.at(-1) as string
  }
}

export async function* everyRow(
  store: Store,
  partition: string,
): AsyncGenerator<{ readonly table: Table; readonly row: Row }> {
  for (const table of TABLES) {
    let { from, to } = allRows()
    for (;;) {
      const [rows = []] = await store.storage.read(partition, [{ table, from, to, limit: PAGE }])
      for (const row of rows) yield { table, row }
      const last = rows.at(-1)
      if (!last || rows.length < PAGE) break
      // The next key after this one: the same with one more part.
      from = [...last.key, 0]
    }
  }
}
