import type { Key, Put } from '../storage.ts'
import type { SqlValue, Statement } from './driver.ts'

/**
 * How a checkpoint is found by its id. An index of all ids would be one more row written for each save, a third of what a
 * save is billed. But ids made by this package ascend with time, and so with seq: among rows in that order one is found
 * by bisection. Only *strays* are in an index: rows that were put out of order, or have other ids.
 *
 * A row at the end of its lane, with a greater id than the one before it, is no stray. The one before being a stray, it is
 * one too: so those that are none stand together, up to the seq that the last row of the lane names as `ascending`. Rows
 * may go, and an id may change, which makes its row a stray; the rest still ascends.
 */
const FIND = `WITH RECURSIVE
    wanted (family, lane, id) AS (VALUES (?, ?, ?)),
    step (low, high, seq, id) AS (
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
    )
  SELECT step.seq FROM wanted CROSS JOIN step ON step.id = wanted.id
  UNION ALL
  SELECT c.seq FROM wanted CROSS JOIN forkpoint_checkpoints AS c
    ON c.family = wanted.family AND c.lane = wanted.lane AND c.id = wanted.id AND c.stray = 1`

/** The row with an id, of which there is one at most. */
export const selectById = (columns: string, partition: string, alias: Key): Statement => ({
  sql: `SELECT ${columns} FROM forkpoint_checkpoints WHERE family = ? AND lane = ? AND seq = (${FIND})`,
  params: [partition, alias[0] as string, partition, ...alias],
})

/** Fails when another row has the id. */
export const guardId = (partition: string, { key, alias }: Put): Statement[] =>
  alias
    ? [
        {
          sql: `INSERT INTO forkpoint_guard (holds) SELECT 0 FROM (${FIND}) WHERE seq <> ?`,
          params: [partition, ...alias, key[1] as number],
        },
      ]
    : []

/** The row before, as if a stray had the greatest of ids. */
const BEFORE = `FROM forkpoint_checkpoints AS c
      WHERE c.family = new.family AND c.lane = new.lane AND c.seq < new.seq ORDER BY c.seq DESC LIMIT 1`
const IS_LAST = `NOT EXISTS (
      SELECT 1 FROM forkpoint_checkpoints AS c
      WHERE c.family = new.family AND c.lane = new.lane AND c.seq > new.seq
    )`

/** Puts a checkpoint, and decides whether it is a stray. */
export function putCheckpoint(
  partition: string,
  { key, head, alias }: Put,
  version: string,
  body: { readonly sql: string; readonly params: readonly SqlValue[] },
): Statement {
  return {
    sql: `WITH
    new (family, lane, seq, id) AS (VALUES (?, ?, ?, ?)),
    placed AS (
      SELECT new.*,
        CASE WHEN ${IS_LAST} AND new.id > coalesce((SELECT iif(c.stray = 1, '~~', c.id) ${BEFORE}), '')
          THEN NULL ELSE 1 END AS stray,
        coalesce((SELECT c.ascending ${BEFORE}), -1) AS before
      FROM new
    )
  INSERT INTO forkpoint_checkpoints (family, lane, seq, id, stray, ascending, head, version, body)
  SELECT family, lane, seq, id, stray, iif(stray = 1, before, seq), ?, ?, ${body.sql} FROM placed WHERE TRUE
  ON CONFLICT (family, lane, seq) DO UPDATE SET
    head = excluded.head, body = excluded.body, version = excluded.version,
    stray = iif(id IS excluded.id, stray, 1), id = excluded.id`,
    params: [partition, ...key, (alias?.[1] as string | undefined) ?? null, head, version, ...body.params],
  }
}
