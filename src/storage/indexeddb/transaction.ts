import type { IDBPTransaction } from 'idb'
import type { Gate } from './gate.ts'
import type { Database, Schema, StoreName } from './schema.ts'

/** An open database, and who lets transactions begin on it, where that must not be left to the engine. */
export interface Opened {
  readonly db: Database
  readonly gate?: Gate
}

/** Begins a transaction, when it is its turn. Not given as it is: to be waited for is for promises. */
export async function beginOn<Names extends StoreName[], Mode extends 'readonly' | 'readwrite'>(
  { db, gate }: Opened,
  stores: Names,
  mode: Mode,
  durability: IDBTransactionDurability = 'strict',
): Promise<{ readonly tx: IDBPTransaction<Schema, Names, Mode> }> {
  const leave = await gate?.enter(mode)
  try {
    const tx = db.transaction(stores, mode, { durability })
    gate?.begun(tx)
    // Its failure shows in the requests too, and not all who ask wait for its end.
    void tx.done.catch(() => undefined).then(leave)
    return { tx }
  } catch (error) {
    leave?.()
    throw error
  }
}
