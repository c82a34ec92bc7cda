import type { Key, Put } from '../storage.ts'
import type { Statement } from './driver.ts'

/**
 * How a checkpoint is found by its id. An index of all ids would be one more row written for each save, a third of what a
 * save is billed. But ids made by this package ascend with time, and so with seq: among rows in that order one is found
 * by bisection. Only *strays* are in an index: rows that were put out of order, or have other ids.
 *
 * A row at the end of its lane, with a greater id than the one before it, is no stray. The one before being a stray, it is
 * one too: so those that are none stand together, up to the seq that the last row of the lane names as `ascending`. Rows
 * may go, and an id may change, which makes its row a stray; the rest still ascends.
 *
 * To look at a row takes long: SQLite reads all of a large one to compare its key.
 */
const STEP = `step (low, high, seq, id) AS (
      SELECT 0, (
        SELECT ascending FROM forkpoint_checkpoints AS c
        WHERE c.family = wanted.family AND c.lane = wanted.lane ORDER BY c.seq DESC LIMIT 1
      ), NULL, NULL FROM wanted
      UNION ALL
      SELECT
        CASE WHEN c.id <= wanted.id THEN c.seq + 1 ELSE step.low END,
        CASE WHEN c.id <= wanted.id THEN step.high ELSE (step.low + step.high) / 2 - 1 END,
        c.seq,
        c.id
      FROM wanted CROSS JOIN step LEFT JOIN forkpoint_checkpoints AS c
        ON c.family = wanted.family AND c.lane = wanted.lane AND c.seq = (
          SELECT seq FROM forkpoint_checkpoints AS near
          WHERE near.family = wanted.family AND near.lane = wanted.lane AND near.stray IS NULL
            AND near.seq BETWEEN (step.low + step.high) / 2 AND step.high
          ORDER BY near.seq LIMIT 1
        )
      WHERE step.low <= step.high AND step.id IS NOT wanted.id
    )`
const FOUND = `SELECT step.seq FROM wanted CROSS JOIN step ON step.id = wanted.id`
const FOUND_STRAY = `SELECT c.seq FROM wanted CROSS JOIN forkpoint_checkpoints AS c
    ON c.family = wanted.family AND c.lane = wanted.lane AND c.id = wanted.id AND c.stray = 1`

/** The row with an id, of which there is one at most. */
export const selectById = (columns: string, partition: string, alias: Key): Statement => ({
  sql: `SELECT ${columns} FROM forkpoint_checkpoints WHERE family = ? AND lane = ? AND seq = (
    WITH RECURSIVE wanted (family, lane, id) AS (VALUES (?, ?, ?)), ${STEP}
    ${FOUND} UNION ALL ${FOUND_STRAY})`,
  params: [partition, alias[0] as string, partition, ...alias],
})

/**
 * Puts a checkpoint, and decides whether it is a stray. When another row has its id there is no version, and the statement
 * fails: one that ascends has an id that only a stray could have, and is looked for nowhere else.
 */
const putting = (body: string): string => `WITH RECURSIVE
    wanted (family, lane, seq, id) AS (VALUES (?, ?, ?, ?)),
    ${STEP},
    placed AS MATERIALIZED (
      SELECT wanted.*, coalesce((
        SELECT c.seq < wanted.seq AND c.stray IS NULL AND c.id < wanted.id FROM forkpoint_checkpoints AS c
        WHERE c.family = wanted.family AND c.lane = wanted.lane ORDER BY c.seq DESC LIMIT 1
      ), wanted.id > '') AS ascends FROM wanted
    )
  INSERT INTO forkpoint_checkpoints (family, lane, seq, id, stray, ascending, head, version, body)
  SELECT family, lane, seq, id, iif(ascends, NULL, 1),
    iif(ascends, seq, coalesce((
      SELECT c.ascending FROM forkpoint_checkpoints AS c
      WHERE c.family = placed.family AND c.lane = placed.lane AND c.seq < placed.seq ORDER BY c.seq DESC LIMIT 1
    ), -1)),
    ?,
    iif(
      EXISTS (SELECT 1 FROM (${FOUND_STRAY}) AS stray WHERE stray.seq <> placed.seq)
        OR NOT ascends AND EXISTS (SELECT 1 FROM (${FOUND}) AS found WHERE found.seq <> placed.seq),
      NULL, ?),
    ${body} FROM placed WHERE TRUE
  ON CONFLICT (family, lane, seq) DO UPDATE SET
    head = excluded.head, body = excluded.body, version = excluded.version,
    stray = iif(id IS excluded.id, stray, 1), id = excluded.id`

const PUT = putting('?')
// Some libraries take an empty array for NULL.
const PUT_EMPTY = putting(`x''`)

export function putCheckpoint(
  partition: string,
  { key, head, alias, body }: Put,
  version: string,
): Statement {
  const isEmpty = body?.length === 0
  const id = (alias?.[1] as string | undefined) ?? null
  const params = [partition, ...key, id, head, version]
  return isEmpty ? { sql: PUT_EMPTY, params } : { sql: PUT, params: [...params, body ?? null] }
}
