import type { SqliteDriver, SqlRow, SqlValue, Statement } from './driver.ts'

/** Readers and one writer at once, from several processes; what is committed is on the disk. */
export const OPENING: readonly string[] = [
  'PRAGMA busy_timeout = 5000',
  'PRAGMA journal_mode = WAL',
  'PRAGMA synchronous = FULL',
]

/** A driver over a library that answers at once: nothing else of this thread can come between BEGIN and COMMIT. */
export function localDriver(all: (sql: string, params: readonly SqlValue[]) => unknown[]): SqliteDriver {
  const run = ({ sql, params }: Statement): SqlRow[] => all(sql, params) as SqlRow[]
  return {
    opening: OPENING,
    all: run,
    batch(statements, mode) {
      all(mode === 'write' ? 'BEGIN IMMEDIATE' : 'BEGIN', [])
      try {
        const rows = statements.map(run)
        all('COMMIT', [])
        return rows
      } catch (error) {
        rollBack()
        throw error
      }
    },
  }

  function rollBack(): void {
    try {
      all('ROLLBACK', [])
    } catch {
      // A full disk has ended the transaction already.
    }
  }
}

/** Prepares each text once. They are few, as all that varies is a parameter. */
export function remembered<S>(prepare: (sql: string) => S): (sql: string) => S {
  const known = new Map<string, S>()
  return (sql) => {
    const statement = known.get(sql) ?? prepare(sql)
    known.set(sql, statement)
    return statement
  }
}
