import { PGlite } from '@electric-sql/pglite'
import type { Contender } from '../page/contender.ts'
import { sqlContender } from './sql.ts'

/** In the page, over IndexedDB, as the getting started has it: a query resolves when its files were stored. */
export function make(): Contender {
  return sqlContender('JSONB', async () => {
    const db = await PGlite.create('idb://bench')
    return {
      query: async ({ sql, values }) =>
        (await db.query<unknown[]>(sql, [...values], { rowMode: 'array' })).rows,
      run: (statements) =>
        db.transaction(async (tx) => {
          for (const { sql, values } of statements) await tx.query(sql, [...values])
        }),
      close: () => db.close(),
    }
  })
}
