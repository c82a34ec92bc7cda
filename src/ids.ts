import { CheckpointerError } from './errors.ts'

const MAX_ID_LENGTH = 256

/** Ids are opaque text. Refuses what can be none, before anything is done with it. */
export function checkId(kind: string, id: unknown, allowEmpty = false): asserts id is string {
  if (typeof id !== 'string')
    throw new CheckpointerError('INVALID', `${kind} must be a string, not ${typeof id}.`)
  if (id === '' && !allowEmpty) throw new CheckpointerError('INVALID', `${kind} must not be empty.`)
  if (id.length > MAX_ID_LENGTH) {
    throw new CheckpointerError(
      'INVALID',
      `${kind} has ${id.length} characters; the most is ${MAX_ID_LENGTH}. Use a hash of it.`,
    )
  }
}

/** The indexes of pending writes lie between this and its negative. */
export const MOST_WRITES = 2 ** 20

export const isWriteIndex = (index: unknown): index is number =>
  Number.isInteger(index) && Math.abs(index as number) < MOST_WRITES

/** 128 bits at random. Not `crypto.randomUUID`, which pages over plain http lack. */
export const randomId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )
