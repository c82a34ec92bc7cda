import { CheckpointerError } from '../../errors.ts'
import type { SqliteDriver } from './driver.ts'
import { isNoTable } from './errors.ts'

/** For what reads a head: the facts behind its format and its sum, or nothing when they are no JSON. */
const FACTS = `facts TEXT AS (
    CASE WHEN json_valid(substr(head, instr(head, '{'))) THEN substr(head, instr(head, '{')) END
  ) VIRTUAL`

const fact = (column: string, type: string, path: string): string =>
  `${column} ${type} AS (json_extract(facts, '${path}')) VIRTUAL`

const STORED = `head TEXT NOT NULL,
  body BLOB,
  version TEXT NOT NULL`

/**
 * What older databases lack is one more list, and the number of lists is the version. Tables have no rowid, so that a row
 * is one row written. What is for people is computed when it is read: it takes no room and cannot be wrong.
 */
const STEPS: readonly (readonly string[])[] = [
  [
    `CREATE TABLE IF NOT EXISTS forkpoint_threads (
  thread TEXT NOT NULL,
  namespace TEXT NOT NULL,
  family TEXT NOT NULL,
  rank REAL,
  ${STORED},
  ${FACTS},
  PRIMARY KEY (thread, namespace)
) WITHOUT ROWID`,
    `CREATE INDEX IF NOT EXISTS forkpoint_threads_family ON forkpoint_threads (family, thread, namespace)`,
    `CREATE TABLE IF NOT EXISTS forkpoint_checkpoints (
  family TEXT NOT NULL,
  lane TEXT NOT NULL,
  seq INTEGER NOT NULL,
  id TEXT,
  stray INTEGER,
  ascending INTEGER NOT NULL,
  ${STORED},
  ${FACTS},
  ${fact('parent', 'INTEGER', '$.parent.seq')},
  ${fact('run', 'TEXT', '$.runId')},
  ${fact('node', 'TEXT', '$.node')},
  ${fact('created', 'INTEGER', '$.createdAt')},
  PRIMARY KEY (family, lane, seq)
) WITHOUT ROWID`,
    `CREATE UNIQUE INDEX IF NOT EXISTS forkpoint_checkpoints_id ON forkpoint_checkpoints (family, lane, id) WHERE stray = 1`,
    `CREATE TABLE IF NOT EXISTS forkpoint_parts (
  family TEXT NOT NULL,
  lane TEXT NOT NULL,
  seq INTEGER NOT NULL,
  owner TEXT NOT NULL,
  number INTEGER NOT NULL,
  ${STORED},
  PRIMARY KEY (family, lane, seq, owner, number)
) WITHOUT ROWID`,
    `CREATE TABLE IF NOT EXISTS forkpoint_writes (
  family TEXT NOT NULL,
  lane TEXT NOT NULL,
  seq INTEGER NOT NULL,
  task TEXT NOT NULL,
  number INTEGER NOT NULL,
  ${STORED},
  PRIMARY KEY (family, lane, seq, task, number)
) WITHOUT ROWID`,
    `CREATE TABLE IF NOT EXISTS forkpoint_meta (
  family TEXT NOT NULL,
  name TEXT NOT NULL,
  subject TEXT NOT NULL,
  ${STORED},
  PRIMARY KEY (family, name, subject)
) WITHOUT ROWID`,
    `CREATE TABLE IF NOT EXISTS forkpoint_guard (
  holds INTEGER CONSTRAINT forkpoint_conflict CHECK (holds)
)`,
    `CREATE VIEW IF NOT EXISTS forkpoint_history AS
SELECT
  json_extract(t.facts, '$.thread') AS thread,
  json_extract(t.facts, '$.namespace') AS namespace,
  c.seq AS seq,
  json_extract(c.facts, '$.id') AS id,
  c.parent AS parent,
  c.run AS run,
  c.node AS node,
  json_extract(c.facts, '$.label') AS label,
  c.created AS created,
  t.thread AS thread_key
FROM forkpoint_threads AS t
CROSS JOIN json_each(t.facts, '$.segments') AS s
CROSS JOIN forkpoint_checkpoints AS c
  ON c.family = t.family
  AND c.lane = json_extract(s.value, '$.lane')
  AND c.seq > CASE s.key WHEN 0 THEN -1 ELSE json_extract(t.facts, '$.segments[' || (s.key - 1) || '].to') END
  AND c.seq <= coalesce(json_extract(s.value, '$.to'), 9007199254740991)
WHERE NOT EXISTS (
  SELECT 1 FROM json_each(s.value, '$.hide') AS h
  WHERE c.seq BETWEEN json_extract(h.value, '$[0]') AND json_extract(h.value, '$[1]')
)`,
    `CREATE TABLE IF NOT EXISTS forkpoint_schema (version INTEGER NOT NULL PRIMARY KEY)`,
    `INSERT INTO forkpoint_schema (version) VALUES (1) ON CONFLICT DO NOTHING`,
  ],
]

/** For `list`. A storage of one family does without it, since it would be one more row written for each save. */
const LIST_INDEX = `CREATE INDEX IF NOT EXISTS forkpoint_threads_latest
  ON forkpoint_threads (rank DESC, thread, namespace) WHERE rank IS NOT NULL`

/** The whole schema as SQL, for those who run migrations themselves. */
export const sqliteSchema: readonly string[] = [...STEPS.flat(), LIST_INDEX]

export interface SchemaOptions {
  readonly isOneFamily: boolean
}

/** Creates what is not there yet. Several may do this at once. */
export async function ensureSchema(driver: SqliteDriver, { isOneFamily }: SchemaOptions): Promise<void> {
  const found = await versionOf(driver)
  if (found > STEPS.length)
    throw new CheckpointerError(
      'FORMAT_TOO_NEW',
      `The tables have version ${found}, this version of the package knows ${STEPS.length}. Update the package.`,
    )
  if (found === STEPS.length) return
  const missing = STEPS.slice(found).flat()
  const all = isOneFamily ? missing : [...missing, LIST_INDEX]
  await driver.batch(
    all.map((sql) => ({ sql, params: [] })),
    'write',
  )
}

async function versionOf(driver: SqliteDriver): Promise<number> {
  try {
    const rows = await driver.all({
      sql: 'SELECT max(version) AS version FROM forkpoint_schema',
      params: [],
    })
    return Number(rows[0]?.['version'] ?? 0)
  } catch (error) {
    if (isNoTable(error)) return 0
    throw error
  }
}
