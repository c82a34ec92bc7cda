import type { Limits } from '../storage.ts'
import type { SqliteDriver, SqlRow, SqlValue, Statement } from './driver.ts'
import { OPENING } from './local.ts'

interface LibsqlStatement {
  sql: string
  args: SqlValue[]
}
interface LibsqlRows {
  readonly rows: readonly unknown[]
}

/** Of `@libsql/client`, what is used. */
export interface LibsqlClient {
  readonly protocol: string
  execute(statement: LibsqlStatement): Promise<LibsqlRows>
  batch(statements: LibsqlStatement[], mode: 'read' | 'write'): Promise<readonly LibsqlRows[]>
}

/** A server answers a request with 10 MB at most, and so does not take more in one row. */
const SERVER: Partial<Limits> = { valueBytes: 2 * 1024 * 1024, commitBytes: 16 * 1024 * 1024 }

/** `createClient({ url })` of `@libsql/client`: a file, a server of your own, or Turso. */
export function libsql(client: LibsqlClient): SqliteDriver {
  if (client.protocol === 'file') return { opening: OPENING, ...overClient(client) }
  return { isRemote: true, limits: SERVER, ...overClient(client) }
}

function overClient(client: LibsqlClient) {
  return {
    all: async (statement: Statement): Promise<SqlRow[]> => rowsOf(await client.execute(asked(statement))),
    batch: async (statements: readonly Statement[], mode: 'read' | 'write'): Promise<SqlRow[][]> =>
      (await client.batch(statements.map(asked), mode)).map(rowsOf),
  }
}

const asked = ({ sql, params }: Statement): LibsqlStatement => ({ sql, args: [...params] })
const rowsOf = ({ rows }: LibsqlRows): SqlRow[] => rows as SqlRow[]
