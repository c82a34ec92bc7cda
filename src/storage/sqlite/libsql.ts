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
  transaction(mode: 'read'): Promise<{
    execute(statement: LibsqlStatement): Promise<LibsqlRows>
    close(): void
  }>
}

/** A server answers a request with 10 MB at most, and so does not take more in one row. */
const SERVER: Partial<Limits> = { valueBytes: 2 * 1024 * 1024, commitBytes: 16 * 1024 * 1024 }
/** Rows of one answer, where all at once are too much: many small ones, or few of the largest. */
const PAGES = [64, 4] as const

/** `createClient({ url })` of `@libsql/client`: a file, a server of your own, or Turso. */
export function libsql(client: LibsqlClient): SqliteDriver {
  if (client.protocol === 'file') return { opening: OPENING, ...overClient(client) }
  const { all, batch } = overClient(client)
  const inPages = (statements: readonly Statement[]) => (error: unknown) => {
    if ((error as { code?: unknown }).code !== 'RESPONSE_TOO_LARGE') throw error
    return readInPages(client, statements, PAGES[0])
  }
  return {
    isRemote: true,
    limits: SERVER,
    all: async (statement) => {
      const [rows = []] = await all(statement).then((found) => [found], inPages([statement]))
      return rows
    },
    batch: (statements, mode) => {
      const done = batch(statements, mode)
      return mode === 'read' ? done.catch(inPages(statements)) : done
    },
  }
}

function overClient(client: LibsqlClient) {
  return {
    all: async (statement: Statement): Promise<SqlRow[]> => rowsOf(await client.execute(asked(statement))),
    batch: async (statements: readonly Statement[], mode: 'read' | 'write'): Promise<SqlRow[][]> =>
      (await client.batch(statements.map(asked), mode)).map(rowsOf),
  }
}

/** All of one moment, in several answers. */
async function readInPages(
  client: LibsqlClient,
  statements: readonly Statement[],
  size: number,
): Promise<SqlRow[][]> {
  const transaction = await client.transaction('read')
  try {
    const found: SqlRow[][] = []
    for (const { sql, params } of statements) {
      const rows: SqlRow[] = []
      for (let page: SqlRow[] | undefined; !page || page.length === size; rows.push(...page)) {
        const paged = {
          sql: `SELECT * FROM (${sql}) LIMIT ? OFFSET ?`,
          params: [...params, size, rows.length],
        }
        page = rowsOf(await transaction.execute(asked(paged)))
      }
      found.push(rows)
    }
    return found
  } catch (error) {
    const smaller = PAGES.find((other) => other < size)
    if ((error as { code?: unknown }).code !== 'RESPONSE_TOO_LARGE' || !smaller) throw error
    return await readInPages(client, statements, smaller)
  } finally {
    transaction.close()
  }
}

const asked = ({ sql, params }: Statement): LibsqlStatement => ({ sql, args: [...params] })
const rowsOf = ({ rows }: LibsqlRows): SqlRow[] => rows as SqlRow[]
