import type { IDBPTransaction } from 'idb'
import { CheckpointerError } from '../../errors.ts'
import type { Table } from '../storage.ts'
import type { Access } from './connection.ts'
import { coded, isClosing } from './errors.ts'
import { readInTime } from './patience.ts'
import type { Schema } from './schema.ts'

export type ReadTransaction = IDBPTransaction<Schema, Table[], 'readonly'>
type Read<T> = (tx: ReadTransaction) => Promise<T>

/** Reads, in time; on another handle when this one dies, and row by row when a row cannot be read. */
export async function reading<T>(
  connection: Access,
  tables: Table[],
  read: Read<T>,
  salvage: Read<T> = read,
): Promise<T> {
  const once = async (work: Read<T>): Promise<{ readonly value: T } | { readonly error: unknown }> => {
    const { handle, tx } = await connection.begin(tables, 'readonly')
    try {
      return { value: await readInTime(tx, work(tx)) }
    } catch (error) {
      // Not to be waited for by the next ones too.
      if (CheckpointerError.is(error, 'BLOCKED')) connection.drop(handle)
      const reason = await connection.reason(handle, error)
      if (CheckpointerError.is(reason)) throw reason
      if (isClosing(error)) connection.drop(handle)
      return { error }
    }
  }
  try {
    let found = await once(read)
    if ('error' in found && isClosing(found.error)) found = await once(read)
    if ('value' in found) return found.value
    const rest = await once(salvage)
    if ('value' in rest) return rest.value
    throw found.error
  } catch (error) {
    throw coded(error)
  }
}
