import { hex } from './platform/bytes.ts'
import { CheckpointerError } from './errors.ts'

const MAX_ID_LENGTH = 256
/** The name of a subgraph's namespace holds those of all that it is in, each with the id of a task. */
const MAX_NAMESPACE_LENGTH = 1024

/** Ids are opaque text. Refuses what can be none, before anything is done with it. */
export function checkId(kind: string, id: unknown): asserts id is string {
  checkText(kind, id, MAX_ID_LENGTH)
  if (id === '') throw new CheckpointerError('INVALID', `${kind} must not be empty.`)
}

/** The same for a namespace, which may be empty. */
export function checkNamespace(kind: string, namespace: unknown): asserts namespace is string {
  checkText(kind, namespace, MAX_NAMESPACE_LENGTH)
}

function checkText(kind: string, id: unknown, most: number): asserts id is string {
  if (typeof id !== 'string')
    throw new CheckpointerError('INVALID', `${kind} must be a string, not ${typeof id}.`)
  if (id.length > most)
    throw new CheckpointerError(
      'INVALID',
      `${kind} has ${id.length} characters; the most is ${most}. Use a hash of it.`,
    )
}

const FORK_LABEL = 'fork-of:'

/** The label of a fork that is given none. */
export const forkLabel = (origin: string): string => FORK_LABEL + origin

export const isForkLabel = (label: string): boolean => label.startsWith(FORK_LABEL)

/** The indexes of pending writes lie between this and its negative. */
export const MOST_WRITES = 2 ** 20

export const isWriteIndex = (index: unknown): index is number =>
  Number.isInteger(index) && Math.abs(index as number) < MOST_WRITES

/** 128 bits at random. Not `crypto.randomUUID`, which pages over plain http lack. */
export const randomId = (): string => hex(crypto.getRandomValues(new Uint8Array(16)))
