import { CheckpointerError } from '../../errors.ts'
import { isBytes } from '../../platform/bytes.ts'
import type { Key, Put, Row } from '../storage.ts'
import type { KvEntry } from './kv.ts'

/** The value of a row's entry. */
export interface StoredRow {
  readonly head: string
  readonly body?: Uint8Array
  readonly alias?: Key
  readonly rank?: number
}

/** The parts of an entry's key before the row's own: prefix, 'row', partition, table. */
const BEFORE_KEY = 4

export const keyOf = ({ key }: KvEntry): Key => key.slice(BEFORE_KEY) as Key

export const stored = ({ head, body, alias, rank }: Put): StoredRow => ({
  head,
  // Of a larger buffer the engine would keep all.
  ...(body ? { body: new Uint8Array(body) } : {}),
  ...(alias ? { alias } : {}),
  ...(rank === undefined ? {} : { rank }),
})

/** Nothing where there is no entry. What somebody else has put there is told. */
export function storedIn({ value, versionstamp, key }: KvEntry): StoredRow | undefined {
  if (versionstamp === null) return undefined
  if (typeof (value as StoredRow | null)?.head !== 'string')
    throw new CheckpointerError(
      'CORRUPT',
      `The entry ${JSON.stringify(key)} of Deno KV is no row of this storage. Give the storage a prefix of its own.`,
    )
  return value as StoredRow
}

export function rowOf(entry: KvEntry): Row | undefined {
  const row = storedIn(entry)
  if (!row) return undefined
  const { head, body } = row
  return {
    key: keyOf(entry),
    head,
    version: entry.versionstamp as string,
    ...(isBytes(body) ? { body } : {}),
  }
}
