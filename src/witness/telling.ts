import { CheckpointerError, type Loss, type LostHead } from '../errors.ts'
import type { LossRecord } from '../operations/host.ts'

/** How many heads an error names, and how many its text does. */
const MOST_HEADS = 100
const MOST_NAMED = 5

export interface Missing {
  /** What was expected of the database that should be there. */
  readonly expected: Loss['expected']
  readonly found: Loss['found']
  /** Latest first. */
  readonly heads: readonly LostHead[]
  /** What the engine says of it. */
  readonly said?: string | undefined
}

/** The words for it, and the facts, as `onWarning` is told and as `verify` will report them. */
export function lossOf(name: string, { expected, found, heads, said }: Missing): LossRecord {
  const isGone = expected.database !== found.database
  const what = isGone
    ? `All that was saved under '${name}' is gone${atLeast(expected.threads)}. There is a new database, with ${count(found.threads)}.`
    : `Saves under '${name}' ${heads.length > 0 ? 'are' : 'may be'} missing.`
  const engine = said === undefined ? '' : ` ${said}`
  const named = heads.slice(0, MOST_NAMED).map(describe).join(', ')
  const more = heads.length > MOST_NAMED ? `, and ${heads.length - MOST_NAMED} more` : ''
  return {
    at: Date.now(),
    message: what + engine + (named === '' ? '' : ` Expected: ${named}${more}.`),
    loss: { expected, found, heads: heads.slice(0, MOST_HEADS) },
  }
}

export function lossError({ message, loss }: LossRecord): CheckpointerError {
  const [head, ...others] = loss.heads
  const about =
    head && others.length === 0 ? { thread: head.thread, namespace: head.namespace, seq: head.expected } : {}
  return new CheckpointerError('DATA_LOSS', message, { ...about, loss })
}

/** How many there were is written down a while after that there was something. */
const atLeast = (threads: number): string => (threads === 0 ? '' : `: ${count(threads)} at least`)
const count = (threads: number): string => `${threads} thread${threads === 1 ? '' : 's'}`

function describe({ thread, namespace, expected, found }: LostHead): string {
  const place = namespace === '' ? `'${thread}'` : `'${thread}', namespace '${namespace}',`
  return `${place} up to ${expected}${found === undefined ? '' : ` (there: ${found})`}`
}
