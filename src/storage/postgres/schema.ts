import { CheckpointerError } from '../../errors.ts'
import { COMMIT_FUNCTION } from './commit-function.ts'
import type { PostgresDriver } from './driver.ts'
import { isNoTable } from './errors.ts'

/** Keys are ordered by their bytes, whatever the database's own order is. */
const TEXT = 'text COLLATE "C" NOT NULL'

const STORED = `head text NOT NULL,
  body bytea,
  version text NOT NULL`

/**
 * What older databases lack is one more list, and the number of lists is the version. Columns between the key and the head
 * are for people: they are written with each row, and read by nothing of this package.
 */
const STEPS: readonly (readonly string[])[] = [
  [
    `CREATE TABLE IF NOT EXISTS forkpoint_threads (
  thread ${TEXT},
  namespace ${TEXT},
  family ${TEXT},
  rank double precision,
  thread_name text,
  namespace_name text,
  lanes jsonb,
  ${STORED},
  PRIMARY KEY (thread, namespace)
)`,
    `CREATE INDEX IF NOT EXISTS forkpoint_threads_family ON forkpoint_threads (family, thread)`,
    `CREATE INDEX IF NOT EXISTS forkpoint_threads_latest
  ON forkpoint_threads (rank DESC, thread, namespace) WHERE rank IS NOT NULL`,
    `CREATE TABLE IF NOT EXISTS forkpoint_checkpoints (
  family ${TEXT},
  lane ${TEXT},
  seq bigint NOT NULL,
  id text COLLATE "C",
  id_name text,
  parent bigint,
  run text,
  node text,
  label text,
  created timestamptz,
  ${STORED},
  PRIMARY KEY (family, lane, seq)
)`,
    `CREATE UNIQUE INDEX IF NOT EXISTS forkpoint_checkpoints_id
  ON forkpoint_checkpoints (family, lane, id) WHERE id IS NOT NULL`,
    `CREATE TABLE IF NOT EXISTS forkpoint_parts (
  family ${TEXT},
  lane ${TEXT},
  seq bigint NOT NULL,
  owner ${TEXT},
  number bigint NOT NULL,
  ${STORED},
  PRIMARY KEY (family, lane, seq, owner, number)
)`,
    `CREATE TABLE IF NOT EXISTS forkpoint_writes (
  family ${TEXT},
  lane ${TEXT},
  seq bigint NOT NULL,
  task ${TEXT},
  number bigint NOT NULL,
  ${STORED},
  PRIMARY KEY (family, lane, seq, task, number)
)`,
    `CREATE TABLE IF NOT EXISTS forkpoint_meta (
  family ${TEXT},
  name ${TEXT},
  subject ${TEXT},
  ${STORED},
  PRIMARY KEY (family, name, subject)
)`,
    `CREATE OR REPLACE VIEW forkpoint_history AS
SELECT
  coalesce(t.thread_name, t.thread) AS thread,
  coalesce(t.namespace_name, t.namespace) AS namespace,
  c.seq,
  coalesce(c.id_name, c.id) AS id,
  c.parent,
  c.run,
  c.node,
  c.label,
  c.created,
  t.thread AS thread_key
FROM forkpoint_threads AS t
CROSS JOIN jsonb_to_recordset(t.lanes) AS s(lane text, first bigint, last bigint, hide jsonb)
JOIN forkpoint_checkpoints AS c
  ON c.family = t.family
  AND c.lane = s.lane
  AND c.seq BETWEEN s.first AND coalesce(s.last, 9007199254740991)
WHERE NOT EXISTS (
  SELECT FROM jsonb_array_elements(s.hide) AS h
  WHERE c.seq BETWEEN (h->>0)::bigint AND (h->>1)::bigint
)`,
    `CREATE TABLE IF NOT EXISTS forkpoint_schema (version int NOT NULL PRIMARY KEY)`,
    `INSERT INTO forkpoint_schema (version) VALUES (1) ON CONFLICT DO NOTHING`,
  ],
  // By another name than the one before it, which would take what it is given now for nothing to do.
  [COMMIT_FUNCTION, `INSERT INTO forkpoint_schema (version) VALUES (2) ON CONFLICT DO NOTHING`],
]

/** The whole schema as SQL, for those who run migrations themselves. */
export const postgresSchema: readonly string[] = STEPS.flat()

/** Creates what is not there yet. Several may do this at once: they wait for each other, and either all of it is done or nothing. */
export async function ensureSchema(driver: PostgresDriver): Promise<void> {
  const found = await versionOf(driver)
  if (found > STEPS.length)
    throw new CheckpointerError(
      'FORMAT_TOO_NEW',
      `The tables have version ${found}, this version of the package knows ${STEPS.length}. Update the package.`,
    )
  if (found === STEPS.length) return
  const missing = STEPS.slice(found).flat()
  await driver.query({
    sql: `DO $forkpoint_schema$ BEGIN
PERFORM pg_advisory_xact_lock(hashtextextended('forkpoint schema', 0));
${missing.map((statement) => `${statement};`).join('\n')}
END $forkpoint_schema$`,
    params: [],
  })
}

async function versionOf(driver: PostgresDriver): Promise<number> {
  try {
    const sql = 'SELECT max(version) AS version FROM forkpoint_schema'
    const [row] = await driver.query({ sql, params: [] })
    return Number(row?.['version'] ?? 0)
  } catch (error) {
    if (isNoTable(error)) return 0
    throw error
  }
}
