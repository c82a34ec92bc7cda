import type { IDBPObjectStore, IDBPTransaction } from 'idb'
import { CheckpointerError } from '../../../errors.ts'
import type { Connection } from '../connection.ts'
import { isCutOff } from '../errors.ts'
import { writtenInTime } from '../patience.ts'
import type { Schema } from '../schema.ts'

type SessionTransaction = IDBPTransaction<Schema, 'session'[], 'readwrite'>
type SessionStore = IDBPObjectStore<Schema, 'session'[], 'session', 'readwrite'>

/** Writes to what sessions leave behind. All of it may be done twice, so what was cut off is simply done again. */
export async function writeSessionRows(
  connection: Connection,
  work: (store: SessionStore) => readonly Promise<unknown>[],
  durability: 'strict' | 'relaxed' = 'strict',
): Promise<void> {
  for (let tried = 0; ; tried++) {
    const { handle, tx } = await connection.begin(['session'], 'readwrite', durability)
    try {
      await writtenInTime(tx, carryOut(tx, work))
      return
    } catch (error) {
      const reason = await connection.reason(handle, error)
      if (CheckpointerError.is(reason) || tried > 0 || !isCutOff(error)) throw reason
      connection.drop(handle)
    }
  }
}

async function carryOut(
  tx: SessionTransaction,
  work: (store: SessionStore) => readonly Promise<unknown>[],
): Promise<void> {
  await Promise.all(work(tx.objectStore('session')))
  tx.commit()
  await tx.done
}
