import { CheckpointerError } from '../../errors.ts'

/** What the server has said, or the library: some put words of their own in front. */
const wordsOf = (error: unknown): string =>
  String((error as { message?: unknown } | undefined)?.message ?? error).replace(/^Command failed: /, '')

/** The server's own word, which stands in front. */
const refusal = (error: unknown): string | undefined => /^([A-Z]{3,}) /.exec(wordsOf(error))?.[1]

/** A server that starts, a script that runs, a slot on its way to another node: nothing was done. */
export const isBusy = (error: unknown): boolean =>
  ['LOADING', 'BUSY', 'TRYAGAIN', 'CLUSTERDOWN', 'MASTERDOWN'].includes(refusal(error) ?? '')

/** Nobody can say whether a call that failed was carried out, unless the server has refused it. */
export const isUnsure = (error: unknown): boolean =>
  !CheckpointerError.is(error) &&
  refusal(error) === undefined &&
  !/ECONNREFUSED|ENOTFOUND/.test(wordsOf(error))

const MEANINGS = [
  {
    said: /^OOM |max(imum)? (daily )?requests? (limit|count)|quota/i,
    code: 'QUOTA',
    text: 'The server has no room left. Prune or delete threads, or make room. Nothing was written.',
  },
  {
    said: /max (request|single record|key|field) size|exceeds maximum allowed size|invalid bulk length/i,
    code: 'TOO_LARGE',
    text: 'A row, a commit or what was asked for is larger than the server takes.',
  },
  {
    said: /^(LOADING|BUSY|TRYAGAIN|CLUSTERDOWN|MASTERDOWN) /,
    code: 'BLOCKED',
    text: 'The server takes no commands for the time being. Nothing was written; try again.',
  },
  {
    said: /^Command timed out/,
    code: 'BLOCKED',
    text: 'The server has not answered within the commandTimeout of the connection. See that it is reached, allow it more time, or try again.',
  },
  {
    said: /^READONLY /,
    code: 'UNSUPPORTED',
    text: 'This server is a replica, and only reads; one that has not received the data yet cannot be opened. Nothing was written; give this storage a connection to the master.',
  },
  {
    said: /^WRONGTYPE /,
    code: 'UNSUPPORTED',
    text: 'Something else is stored under the prefix of this storage: give it another.',
  },
] as const

/** A library may repeat the whole command, with all that it was to write. */
const MOST_WORDS = 300

export function coded(error: unknown): CheckpointerError {
  if (CheckpointerError.is(error)) return error
  const words = wordsOf(error)
  const meaning = MEANINGS.find(({ said }) => said.test(words))
  const outcome = isUnsure(error) ? {} : { outcome: 'none' as const }
  return new CheckpointerError(
    meaning?.code ?? 'FAILED',
    meaning?.text ?? `Redis failed: ${words.slice(0, MOST_WORDS)}`,
    { cause: error, ...outcome },
  )
}

export const unknownOutcome = (error: unknown): CheckpointerError =>
  new CheckpointerError(
    'FAILED',
    `The server has not answered a write, and it may have been carried out or not: ${wordsOf(error).slice(0, MOST_WORDS)}`,
    { cause: error, outcome: 'unknown' },
  )
