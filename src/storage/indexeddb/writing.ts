import { CheckpointerError } from '../../errors.ts'
import type { Batch, CommitResult } from '../storage.ts'
import { carryOut, durabilityOf, storesToWrite, tablesOf, wasCarriedOut } from './commit.ts'
import type { Access } from './connection.ts'
import { isCutOff } from './errors.ts'
import { readInTime, writtenInTime } from './patience.ts'

interface Write {
  readonly partition: string
  readonly batch: Batch
  /** Every row of it gets this one; nobody else gives it to a row. */
  readonly version: string
}

type Attempt = CommitResult | { readonly cutOff: unknown }

/**
 * Commits. When the engine breaks that off, another handle is asked whether it was made, and if it was not it is
 * made there, once.
 */
export async function writing(connection: Access, write: Write): Promise<CommitResult> {
  const first = await attempt(connection, write)
  if (!('cutOff' in first)) return first
  if (await isThere(connection, write, first.cutOff)) return { ok: true, version: write.version }
  const second = await attempt(connection, write)
  if (!('cutOff' in second)) return second
  throw unknown(second.cutOff)
}

async function attempt(connection: Access, { partition, batch, version }: Write): Promise<Attempt> {
  const { handle, tx } = await connection.begin(storesToWrite(batch), 'readwrite', durabilityOf(batch))
  try {
    return await writtenInTime(tx, carryOut(tx, partition, batch, version))
  } catch (error) {
    // Not to be waited for by the next ones too.
    if (CheckpointerError.is(error, 'BLOCKED')) connection.drop(handle)
    if (!isCutOff(error)) throw error
    const reason = await connection.reason(handle, error)
    if (CheckpointerError.is(reason)) throw reason
    connection.drop(handle)
    return { cutOff: error }
  }
}

async function isThere(
  connection: Access,
  { partition, batch, version }: Write,
  cause: unknown,
): Promise<boolean> {
  try {
    const { tx } = await connection.begin(tablesOf(batch), 'readonly')
    return await readInTime(tx, wasCarriedOut(tx, partition, batch, version))
  } catch {
    throw unknown(cause)
  }
}

const unknown = (cause: unknown): CheckpointerError =>
  new CheckpointerError(
    'FAILED',
    `IndexedDB broke off a write, and cannot be asked whether it was made: ${String(cause)}`,
    { cause, outcome: 'unknown' },
  )
