import type { DurableObjectStorage } from '@cloudflare/workers-types'
import type { DurableObjectSql } from '../../../../src/storage/durable-object.ts'

/** The same storage, with the rows that it bills counted. */
export function counted(
  storage: DurableObjectStorage,
  counts: { rowsWritten: number; rowsRead: number },
): DurableObjectSql {
  return {
    transactionSync: (work) => storage.transactionSync(work),
    sql: {
      exec(query, ...params) {
        const cursor = storage.sql.exec(query, ...(params as ArrayBuffer[]))
        const rows = cursor.toArray()
        counts.rowsWritten += cursor.rowsWritten
        counts.rowsRead += cursor.rowsRead
        return { toArray: () => rows }
      },
    },
  }
}
