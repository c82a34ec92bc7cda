import type { AgentState } from '../agent-loop.ts'
import { LISTED, type Contender, type Step } from '../page/contender.ts'

export type Value = string | number
export interface Statement {
  readonly sql: string
  readonly values: readonly Value[]
}
export type Rows = readonly (readonly unknown[])[]
export interface Database {
  /** A query, without a transaction around it. */
  query(statement: Statement): Promise<Rows>
  /** All in one transaction. */
  run(statements: readonly Statement[]): Promise<unknown>
  close(): Promise<unknown>
}

/** A row for each checkpoint, with its state as JSON; the same for the databases that speak SQL. */
export function sqlContender(json: 'TEXT' | 'JSONB', opened: () => Promise<Database>): Contender {
  let db: Database
  const put = ({ thread, seq, state }: Omit<Step, 'change'>): Statement[] => [
    {
      sql: 'INSERT INTO checkpoints (thread, seq, at, state) VALUES ($1, $2, $3, $4)',
      values: [thread, seq, Date.now(), JSON.stringify(state)],
    },
    {
      sql: `INSERT INTO threads (id, seq, updated) VALUES ($1, $2, $3)
        ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, updated = excluded.updated`,
      values: [thread, seq, Date.now()],
    },
  ]
  const ask = (sql: string, ...values: Value[]) => db.query({ sql, values })
  return {
    async open() {
      db = await opened()
      await db.run([
        {
          sql: `CREATE TABLE IF NOT EXISTS checkpoints
            (thread TEXT, seq INTEGER, at BIGINT, state ${json}, PRIMARY KEY (thread, seq))`,
          values: [],
        },
        {
          sql: 'CREATE TABLE IF NOT EXISTS threads (id TEXT PRIMARY KEY, seq INTEGER, updated BIGINT)',
          values: [],
        },
        { sql: 'CREATE INDEX IF NOT EXISTS latest ON threads (updated)', values: [] },
      ])
    },
    save: (step) => db.run(put(step)),
    // SQLite counts parameters in the order in which they stand.
    resave: ({ thread, seq, state }) =>
      ask(
        'UPDATE checkpoints SET state = $1 WHERE thread = $2 AND seq = $3',
        JSON.stringify(state),
        thread,
        seq,
      ),
    seed: (steps) => db.run(steps.flatMap(put)),
    async load(thread) {
      const [row] = await ask(
        'SELECT state FROM checkpoints WHERE thread = $1 ORDER BY seq DESC LIMIT 1',
        thread,
      )
      const state = row?.[0]
      return (typeof state === 'string' ? JSON.parse(state) : state) as AgentState | undefined
    },
    list: async () => (await ask('SELECT * FROM threads ORDER BY updated DESC LIMIT $1', LISTED)).length,
    page: async (thread, most) =>
      (
        await ask(
          'SELECT seq, at FROM checkpoints WHERE thread = $1 ORDER BY seq DESC LIMIT $2',
          thread,
          most,
        )
      ).length,
    fork: (thread, at, as) =>
      db.run([
        {
          sql: `INSERT INTO checkpoints (thread, seq, at, state) SELECT $1, seq, at, state FROM checkpoints
            WHERE thread = $2 AND seq <= $3 ORDER BY seq DESC LIMIT 1`,
          values: [as, thread, at ?? 2 ** 31 - 1],
        },
        {
          sql: 'INSERT INTO threads (id, seq, updated) SELECT thread, seq, at FROM checkpoints WHERE thread = $1',
          values: [as],
        },
      ]),
    prune: (thread, keep) =>
      ask(
        'DELETE FROM checkpoints WHERE thread = $1 AND seq <= (SELECT seq FROM threads WHERE id = $1) - $2',
        thread,
        keep,
      ),
    close: () => db.close(),
  }
}
