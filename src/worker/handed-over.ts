import type { Host } from '../operations/host.ts'
import type { Verb } from '../operations/verbs.ts'

/** Less is copied. */
const LARGE = 8192

/**
 * What its sender never looks at again. All else may have to be sent once more, when it is not known what became of
 * it: the writes of a run, saves that wait in a queue, what a sync brings.
 */
const LET_GO: {
  readonly [V in Verb]?: (request: Parameters<Host[V]>[0]) => readonly (Uint8Array | undefined)[]
} = {
  // A save that is made again encodes its state anew.
  save: ({ frame }) => [frame.body],
  fork: ({ first }) => [first?.frame.body],
  importPage: ({ bytes }) => [bytes],
}

/** What goes over to the worker with a request; the rest of it is copied. */
export const handedOver = (verb: Verb, request: unknown): ArrayBuffer[] => {
  const given = (LET_GO[verb] as ((request: unknown) => readonly unknown[]) | undefined)?.(request) ?? []
  return given.flatMap((bytes) => bufferOf(bytes) ?? [])
}

/** The buffers of an answer, each of which belongs to its message alone. */
export function buffersOf(value: unknown): ArrayBuffer[] {
  const found: ArrayBuffer[] = []
  const look = (part: unknown, depth: number): void => {
    if (part instanceof Uint8Array) {
      const buffer = bufferOf(part)
      if (buffer) found.push(buffer)
    } else if (depth < 3 && typeof part === 'object' && part !== null) {
      for (const inner of Object.values(part)) look(inner, depth + 1)
    }
  }
  look(value, 0)
  return [...new Set(found)]
}

/** One that is worth handing over instead of copying. */
const bufferOf = (bytes: unknown): ArrayBuffer | undefined =>
  bytes instanceof Uint8Array &&
  bytes.byteLength >= LARGE &&
  bytes.byteLength === bytes.buffer.byteLength &&
  bytes.buffer instanceof ArrayBuffer
    ? bytes.buffer
    : undefined
