import { expect } from 'vitest'
import { CheckpointerError, type ErrorCode } from '../../errors.ts'
import type { Batch, Key, Put, Range, Row, Storage, Table } from '../../storage/storage.ts'

/** Names a law, and proves it on a storage of its own. */
export type Law = (title: string, prove: (bench: Bench) => Promise<void>) => void

/** What a law is proved with. Everything is destroyed and closed afterwards. */
export interface Bench {
  readonly storage: Storage
  /** The same data after a close. Skips the law where that cannot be. */
  readonly reopen: () => Promise<Storage>
  /** A second connection to the same data. Skips the law where that cannot be. */
  readonly another: () => Promise<Storage>
  /** Whether there is `another`, for laws that hold without it too. */
  readonly shares: boolean
  /** Whether there is `reopen`. */
  readonly keeps: boolean
}

/** The partition that laws use when one is enough. */
export const P = 'p'

export const row = (table: Table, key: Key, head = '', more: Partial<Put> = {}): Put => ({
  table,
  key,
  head,
  ...more,
})

/** Commits what must succeed; the version. */
export async function commit(storage: Storage, partition: string, batch: Batch): Promise<string> {
  const result = await storage.commit(partition, batch)
  if (!result.ok) throw new Error(`a commit to '${partition}' was refused, and had no reason to be`)
  return result.version
}

/** Puts rows in as many commits as the limits ask for. */
export async function fill(storage: Storage, partition: string, puts: readonly Put[]): Promise<void> {
  const most = Math.min(storage.limits.operations, 500)
  for (let at = 0; at < puts.length; at += most)
    await commit(storage, partition, { puts: puts.slice(at, at + most) })
}

export async function get(
  storage: Storage,
  partition: string,
  table: Table,
  key: Key,
): Promise<Row | undefined> {
  const [rows] = await storage.read(partition, [{ table, keys: [key] }])
  expect(rows?.length).toBeLessThanOrEqual(1)
  return rows?.[0]
}

export async function scan(storage: Storage, partition: string, table: Table, range: Range): Promise<Row[]> {
  const found = await storage.read(partition, [{ table, ...range }])
  expect(found).toHaveLength(1)
  return found.flat()
}

/** The keys that a range of a table holds. */
export async function keys(
  storage: Storage,
  partition: string,
  table: Table,
  range: Range = EVERYTHING,
): Promise<Key[]> {
  return (await scan(storage, partition, table, range)).map((found) => found.key)
}

/** All rows, where every key begins with a letter, a digit or nothing. */
export const EVERYTHING: Range = { from: [], to: ['~'] }

export async function refuses(work: Promise<unknown>, code: ErrorCode): Promise<void> {
  const outcome = await work.then(
    (result) => `done: ${JSON.stringify(result)}`,
    (error: unknown) => (CheckpointerError.is(error) ? error.code : error),
  )
  expect(outcome).toBe(code)
}

/** Quicker than a deep comparison for bodies of megabytes. */
export function sameBytes(a: Uint8Array | undefined, b: Uint8Array): boolean {
  return a?.length === b.length && a.every((byte, i) => byte === b[i])
}

/** Bytes that are neither all alike nor any text. */
export const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => (i * 31 + 7) & 255)
