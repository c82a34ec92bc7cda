import { CheckpointerError } from '../../errors.ts'

/** How long a blocked or hung open is waited for. */
const OPEN_TIMEOUT = 10_000

/** Runs an open or a delete with a limit in time: a tab that does not let go would block it for ever. */
export async function withinTime<T>(
  { name, doing }: { readonly name: string; readonly doing: 'opened' | 'deleted' },
  work: (onBlocked: () => void) => Promise<T>,
  onLate: (result: T) => void = () => {},
): Promise<T> {
  let blocked = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const working = work(() => void (blocked = true))
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      // Nobody waits for it any more, but it may still come.
      void working.then(onLate, () => {})
      const why = blocked
        ? 'another tab holds it open; close that tab'
        : 'the browser does not answer; reload, or restart it'
      reject(
        new CheckpointerError(
          'BLOCKED',
          `The database ${name} could not be ${doing} in ${OPEN_TIMEOUT / 1000} s: ${why}.`,
        ),
      )
    }, OPEN_TIMEOUT)
  })
  try {
    return await Promise.race([working, late])
  } finally {
    clearTimeout(timer)
  }
}

export const closed = (): CheckpointerError => new CheckpointerError('CLOSED', 'This storage is closed.')

export const nameOf = (error: unknown): string => (error as { name?: unknown } | null)?.name as string

export function coded(error: unknown): CheckpointerError {
  if (CheckpointerError.is(error)) return error
  const cause = error ?? undefined
  switch (nameOf(error)) {
    case 'QuotaExceededError':
      return new CheckpointerError(
        'QUOTA',
        'There is no room left for this site. Prune or delete threads, or ask for persistence. Nothing was written.',
        { cause, outcome: 'none' },
      )
    case 'VersionError':
      return new CheckpointerError(
        'FORMAT_TOO_NEW',
        'The database was made by a newer version of this package. Update the package.',
        { cause },
      )
    case 'NotReadableError':
      return unreadable(error)
    case 'DataError':
      // Chromium's name for a large value whose file is gone or damaged, too.
      if (/read/i.test(String(error))) return unreadable(error)
      return new CheckpointerError('INVALID', 'IndexedDB does not take this key.', { cause })
    default:
      return new CheckpointerError('FAILED', `IndexedDB failed: ${String(error)}`, { cause })
  }
}

const unreadable = (cause: unknown): CheckpointerError =>
  new CheckpointerError('CORRUPT', `A row cannot be read: ${String(cause)}`, { cause })

/** The handle is dead, or dies: "The database connection is closing", and what that does to its transactions. */
export const isClosing = (error: unknown): boolean =>
  ['InvalidStateError', 'AbortError'].includes(nameOf(error)) || isLost(error)

/** WebKit: "Connection to Indexed Database server lost. Refresh the page to try again". */
const isLost = (error: unknown): boolean =>
  nameOf(error) === 'UnknownError' && /connection|server lost/i.test(String(error))

/** For a write: it was cut off, and did not fail by what it was. */
export const isCutOff = (error: unknown): boolean =>
  isClosing(error) || ['UnknownError', 'TransactionInactiveError'].includes(nameOf(error))
