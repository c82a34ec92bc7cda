import { CheckpointerError } from '../../errors.ts'
import { codeOf } from './file-system.ts'

export function coded(error: unknown): CheckpointerError {
  if (CheckpointerError.is(error)) return error
  return new CheckpointerError('FAILED', `The file system failed: ${String(error)}`, { cause: error })
}

/** Of a write that was taken back. */
export function failedWrite(cause: unknown): CheckpointerError {
  const isFull = ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(String(codeOf(cause)))
  return isFull
    ? new CheckpointerError(
        'QUOTA',
        'There is no room left on the disk. Prune or delete threads, or make room. Nothing was written.',
        { cause, outcome: 'none' },
      )
    : new CheckpointerError('FAILED', `The file system failed, and nothing was written: ${String(cause)}`, {
        cause,
        outcome: 'none',
      })
}
