import { TABLES, type Table } from '../storage.ts'
import { KEY_COLUMNS, keyNames, nameOf } from './tables.ts'

const list = (names: readonly string[], of = ''): string => names.map((name) => of + name).join(', ')
const typed = (table: Table, before = ''): string =>
  KEY_COLUMNS[table].map(([name, type]) => `${before}${name} ${type}`).join(', ')

/** The columns that a put brings beside its key, and their types in its JSON. */
const MORE: Readonly<Partial<Record<Table, readonly (readonly [name: string, type: string])[]>>> = {
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
    ['created', 'double precision'],
  ],
}

/** What is wanted must be there, in a snapshot that is younger than the lock. */
function check(table: Table): string {
  const same = keyNames(table).map((name) => ` AND t.${name} = c.${name}`)
  return `  IF batch ? 'check_${table}' AND EXISTS (
    SELECT FROM jsonb_to_recordset(batch->'check_${table}') AS c(${typed(table)}, version text)
    LEFT JOIN ${nameOf(table)} AS t ON t.family = in_family${same.join('')}
    WHERE t.version IS DISTINCT FROM c.version
  ) THEN
    RETURN false;
  END IF;`
}

function remove(table: Table): string {
  const names = keyNames(table)
  return `  IF batch ? 'delete_${table}' THEN
    DELETE FROM ${nameOf(table)} AS t
    USING jsonb_to_recordset(batch->'delete_${table}') AS r(${typed(table)}, ${typed(table, 'to_')})
    WHERE t.family = in_family
      AND (${list(names, 't.')}) >= (${list(names, 'r.')})
      AND (${list(names, 't.')}) < (${list(names, 'r.to_')});
  END IF;`
}

function put(table: Table): string {
  const more = MORE[table] ?? []
  const own = ['family', ...keyNames(table)]
  const rest = [...more.map(([name]) => name), 'head', 'body', 'version']
  const value = (name: string): string =>
    name === 'created' ? 'to_timestamp(p.created / 1000)' : `p.${name}`
  const types = [typed(table), ...more.map(([name, type]) => `${name} ${type}`)].join(', ')
  const isThreads = table === 'threads'
  return `  IF batch ? 'put_${table}' THEN
    INSERT INTO ${nameOf(table)} AS t (${list([...own, ...rest])})
    SELECT in_family, ${[...keyNames(table), ...more.map(([name]) => name), 'head'].map(value).join(', ')},
      substring(bodies FROM p.at FOR p.size), new_version
    FROM jsonb_to_recordset(batch->'put_${table}') AS p(${types}, head text, at int, size int)
    ON CONFLICT (${list(isThreads ? keyNames(table) : own)}) DO UPDATE SET
      ${rest.map((name) => `${name} = excluded.${name}`).join(', ')}${isThreads ? THREAD_STAYS : ''};
  END IF;`
}

/** One that stands in another family is not replaced, and there was one row too few. */
const THREAD_STAYS = `
    WHERE t.family = excluded.family;
    GET DIAGNOSTICS written = ROW_COUNT;
    IF written < jsonb_array_length(batch->'put_threads') THEN
      RAISE EXCEPTION 'forkpoint: a thread lives in another family' USING ERRCODE = 'FP409';
    END IF`

/**
 * A whole conditional batch in one call, and so in one round trip. The lock makes commits to one family go one after the
 * other, and each statement of a function sees what was committed before it: under READ COMMITTED alone, two that check the
 * same row would both go through. The settings keep a plan that was made for empty tables from reading full ones.
 */
export const COMMIT_FUNCTION = `CREATE OR REPLACE FUNCTION forkpoint_commit(
  in_family text, new_version text, batch jsonb, bodies bytea
) RETURNS boolean LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $forkpoint$
DECLARE
  written bigint;
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'forkpoint: commits take the isolation READ COMMITTED' USING ERRCODE = 'FP001';
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('forkpoint ' || in_family, 0));
${TABLES.map(check).join('\n')}
${TABLES.map(remove).join('\n')}
${TABLES.map(put).join('\n')}
  RETURN true;
END
$forkpoint$`
