import type { IDBPTransaction } from 'idb'
import { nameOf } from './errors.ts'
import { idbRow, isRange, keyRange, type Schema, type StoreName } from './schema.ts'
import { bytesOf, type Batch, type CommitResult, type Table } from '../storage.ts'

/** What is put without a pause: to copy so much, or to ask so often, takes 2 to 3 ms. Only the transaction's own answers are waited for. */
const BURST = { bytes: 1024 * 1024, rows: 64 } as const

type WriteTransaction = IDBPTransaction<Schema, StoreName[], 'readwrite'>

/**
 * All requests go out in one burst, or of what is large or many in a few, as an engine copies each row when it is put. They
 * run in order, so each check is answered from before the writes, and one that fails takes them back. The transaction is closed only when all have succeeded: Firefox 153 commits the
 * rest when one fails after `commit()` was called. A worker that dies before that leaves nothing behind.
 */
export async function carryOut(
  tx: WriteTransaction,
  partition: string,
  { checks = [], puts = [], deletes = [], deleteRanges = [] }: Batch,
  version: string,
): Promise<CommitResult> {
  const done = tx.done.then(
    () => undefined,
    (error: unknown) => ({ error }),
  )
  const writes: Promise<unknown>[] = []
  try {
    const found = checks.map(({ table, key }) => heard(tx.objectStore(table).get([partition, ...key])))
    for (const { table, from, to } of deleteRanges.filter(isRange))
      writes.push(heard(tx.objectStore(table).delete(keyRange(partition, { from, to }))))
    for (const { table, key } of deletes)
      writes.push(heard(tx.objectStore(table).delete([partition, ...key])))
    let burst = { bytes: 0, rows: 0 }
    for (const put of puts) {
      burst = { bytes: burst.bytes + bytesOf(put), rows: burst.rows + 1 }
      if (burst.bytes > BURST.bytes || burst.rows > BURST.rows) {
        await Promise.all(writes)
        burst = { bytes: bytesOf(put), rows: 1 }
      }
      writes.push(heard(tx.objectStore(put.table).put(idbRow(partition, put, version))))
    }
    const rows = await Promise.all(found)
    if (rows.some((row, i) => row?.version !== checks[i]?.version)) {
      tx.abort()
      await done
      return { ok: false }
    }
    await Promise.all(writes)
    tx.commit()
  } catch (error) {
    // A row that cannot be stored throws at once; without this, what was asked for before it would stay.
    abort(tx)
    const failed = await Promise.race([done, soon()])
    // Another partition holds the thread already, or the id is taken: somebody was first.
    if (nameOf(error) === 'ConstraintError') return { ok: false }
    // What a failing transaction takes along says no more than that.
    throw nameOf(error) === 'AbortError' && failed ? failed.error : error
  }
  const failed = await done
  if (failed) throw failed.error
  return { ok: true, version }
}

/** A connection that was lost may leave its transactions without an end. */
const soon = (): Promise<undefined> => new Promise((resolve) => setTimeout(resolve, 1000))

function abort(tx: WriteTransaction): void {
  try {
    tx.abort()
  } catch (error) {
    if (nameOf(error) !== 'InvalidStateError') throw error
    // It has ended by itself.
  }
}

/** A request that failed fails its transaction, and is not reported a second time. */
function heard<T>(request: Promise<T>): Promise<T> {
  request.catch(() => undefined)
  return request
}

export function tablesOf({ checks = [], puts = [], deletes = [], deleteRanges = [] }: Batch): Table[] {
  return [...new Set([...checks, ...puts, ...deletes, ...deleteRanges].map(({ table }) => table))]
}

/** A removal, whatever it puts besides. */
export const makesRoom = ({ deletes = [], deleteRanges = [] }: Batch): boolean =>
  deletes.length + deleteRanges.length > 0

/**
 * What a write locks: its tables, and one store that all writes have in common, so that no two of a database are ever
 * under way at once. A killed Chromium that finds two half-written ones at the next start takes their locks for
 * conflicting, as both hold the database, and throws away all that the origin has (3 of 3; with a store in common 0 of 3).
 */
export const storesToWrite = (batch: Batch): StoreName[] => [...tablesOf(batch), 'session']

/** Relaxed rows larger than this were unreadable after a power cut: 115 to 600 in a round. */
const LARGEST_RELAXED = 64 * 1024

export const durabilityOf = ({ relaxed = false, puts = [] }: Batch): 'relaxed' | 'strict' =>
  relaxed && puts.every((put) => bytesOf(put) < LARGEST_RELAXED) ? 'relaxed' : 'strict'

/**
 * Whether a batch that was cut off has been carried out, read on a handle that works: nobody else gives a row its
 * version. A batch without a put has deleted what it checked, or somebody else has.
 */
export async function wasCarriedOut(
  tx: IDBPTransaction<Schema, Table[], 'readonly'>,
  partition: string,
  { checks = [], puts = [] }: Batch,
  version: string,
): Promise<boolean> {
  const [put] = puts
  if (put) {
    const row = await tx.objectStore(put.table).get([partition, ...put.key])
    return row?.version === version
  }
  const expected = checks.filter((check) => check.version !== undefined)
  const found = await Promise.all(
    expected.map(({ table, key }) => tx.objectStore(table).getKey([partition, ...key])),
  )
  return expected.length > 0 && found.every((key) => key === undefined)
}
