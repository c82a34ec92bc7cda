import { CheckpointerError } from '../../errors.ts'

/** Of a row: it is damaged, or of a later version. */
export const isUnread = (error: unknown): error is CheckpointerError =>
  CheckpointerError.is(error, 'CORRUPT') || CheckpointerError.is(error, 'FORMAT_TOO_NEW')

/** What reading gives, or nothing where a row is either: for those who only look. */
export function unlessUnread<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    return ifUnread(error)
  }
}

/** The same, to catch what a promise rejects with. */
export function ifUnread(error: unknown): undefined {
  if (!isUnread(error)) throw error
}

/** What reading gives, or nothing where the row is damaged: for those who can go on without it. */
export function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    return ifDamaged(error)
  }
}

/** The same, to catch what a promise rejects with. */
export function ifDamaged(error: unknown): undefined {
  if (!CheckpointerError.is(error, 'CORRUPT')) throw error
}
