import { CheckpointerError } from '../../errors.ts'

/** A `RunState`, or what its `toString()` gave. */
export type RunText = string | { toString(): string }

/** As JSON, so that of a run which is kept again only what is new is written. */
export function toStored(run: RunText): unknown {
  const text = String(run)
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch (cause) {
    throw new CheckpointerError('INVALID', 'A run is kept as a RunState or as the text of one.', { cause })
  }
  throw new CheckpointerError('INVALID', 'A run is kept as a RunState or as the text of one.')
}

export const fromStored = (stored: unknown): string | undefined =>
  stored === undefined ? undefined : JSON.stringify(stored)
