import { TABLES, type Table } from '../storage.ts'
import { KEY_COLUMNS, keyNames, nameOf } from './tables.ts'

type Column = readonly [name: string, type: string]

/** The columns that a put brings beside its key, and their types. */
const MORE: Readonly<Partial<Record<Table, readonly Column[]>>> = {
  threads: [
    ['rank', 'double precision'],
    ['thread_name', 'text'],
    ['namespace_name', 'text'],
    ['lanes', 'jsonb'],
  ],
  checkpoints: [
    ['id', 'text'],
    ['id_name', 'text'],
    ['parent', 'bigint'],
    ['run', 'text'],
    ['node', 'text'],
    ['label', 'text'],
    ['created', 'timestamptz'],
  ],
}

const list = (names: readonly string[], of = ''): string => names.map((name) => of + name).join(', ')

/** A value of the row that the loop has come to. */
function held(name: string, type: string): string {
  if (type === 'text') return `item->>'${name}'`
  if (type === 'jsonb') return `item->'${name}'`
  return type === 'timestamptz'
    ? `to_timestamp((item->>'${name}')::double precision / 1000)`
    : `(item->>'${name}')::${type}`
}

const heldKey = (table: Table, before = ''): string =>
  KEY_COLUMNS[table].map(([name, type]) => held(before + name, type)).join(', ')

/** Finds the version of the row. */
function find(table: Table): string {
  const same = KEY_COLUMNS[table].map(([name, type]) => ` AND t.${name} = ${held(name, type)}`)
  return `SELECT t.version INTO standing FROM ${nameOf(table)} AS t WHERE t.family = in_family${same.join('')};`
}

const UNLESS_SAME = `
    IF standing IS DISTINCT FROM item->>'version' THEN
      RETURN false;
    END IF;`

function remove(table: Table): string {
  const key = list(keyNames(table), 't.')
  return `DELETE FROM ${nameOf(table)} AS t WHERE t.family = in_family
        AND (${key}) >= (${heldKey(table)}) AND (${key}) < (${heldKey(table, 'to_')});`
}

function put(table: Table): string {
  const more = MORE[table] ?? []
  const own = ['family', ...keyNames(table)]
  const rest = [...more.map(([name]) => name), 'head', 'body', 'version']
  const values = [heldKey(table), ...more.map(([name, type]) => held(name, type)), held('head', 'text')]
  const isThreads = table === 'threads'
  return `INSERT INTO ${nameOf(table)} AS t (${list([...own, ...rest])})
      VALUES (in_family, ${values.join(', ')},
        substring(bodies FROM ${held('at', 'int')} FOR ${held('size', 'int')}), new_version)
      ON CONFLICT (${list(isThreads ? keyNames(table) : own)}) DO UPDATE SET
        ${rest.map((name) => `${name} = excluded.${name}`).join(', ')}${isThreads ? THREAD_STAYS : ''};`
}

/** One that stands in another family is not replaced. */
const THREAD_STAYS = `
        WHERE t.family = excluded.family;
      IF NOT FOUND THEN
        RAISE EXCEPTION 'forkpoint: a thread lives in another family' USING ERRCODE = 'FP409';
      END IF`

/** Row by row: to make a table of a list takes longer than to put the two rows of a save. */
function each(what: string, statement: (table: Table) => string, behind = ''): string {
  const cases = TABLES.map(
    (table) => `    WHEN '${table}' THEN
      ${statement(table)}`,
  )
  return `  items := batch->'${what}';
  FOR i IN 0 .. jsonb_array_length(items) - 1 LOOP
    item := items->i;
    CASE item->>'table'
${cases.join('\n')}
    END CASE;${behind}
  END LOOP;`
}

/**
 * A whole conditional batch in one call, and so in one round trip. The lock makes commits to one family go one after the
 * other, and each statement of a function sees what was committed before it: under READ COMMITTED alone, two that check the
 * same row would both go through. The setting keeps a plan that was made for empty tables from reading full ones.
 */
export const COMMIT_FUNCTION = `CREATE OR REPLACE FUNCTION forkpoint_write(
  in_family text, new_version text, batch jsonb, bodies bytea
) RETURNS boolean LANGUAGE plpgsql
SET enable_seqscan = off
AS $forkpoint$
DECLARE
  items jsonb;
  item jsonb;
  standing text;
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'forkpoint: commits take the isolation READ COMMITTED' USING ERRCODE = 'FP001';
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('forkpoint ' || in_family, 0));
${each('check', find, UNLESS_SAME)}
${each('delete', remove)}
${each('put', put)}
  RETURN true;
END
$forkpoint$`
