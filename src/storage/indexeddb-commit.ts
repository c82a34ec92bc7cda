import type { IDBPTransaction } from 'idb'
import { nameOf } from './indexeddb-errors.ts'
import { idbRow, isRange, keyRange, type Schema, type Stores } from './indexeddb-schema.ts'
import type { Batch, CommitResult } from './storage.ts'

type WriteTransaction = IDBPTransaction<Schema, Stores, 'readwrite'>

/**
 * All requests go out in one burst. They run in order, so each check is answered from before the writes, and one
 * that fails takes them back. The transaction is closed only when all have succeeded: Firefox 153 commits the
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
    for (const put of puts) writes.push(heard(tx.objectStore(put.table).put(idbRow(partition, put, version))))
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
    const failed = await done
    // Another partition holds the thread already, or the id is taken: somebody was first.
    if (nameOf(error) === 'ConstraintError') return { ok: false }
    // What a failing transaction takes along says no more than that.
    throw nameOf(error) === 'AbortError' && failed ? failed.error : error
  }
  const failed = await done
  if (failed) throw failed.error
  return { ok: true, version }
}

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

export function tablesOf({ checks = [], puts = [], deletes = [], deleteRanges = [] }: Batch): Stores {
  return [...new Set([...checks, ...puts, ...deletes, ...deleteRanges].map(({ table }) => table))]
}
