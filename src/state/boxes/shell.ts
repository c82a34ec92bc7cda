import type { Json } from '../json.ts'

/** The only key of a box, and no key of anything else in an encoded state. */
export const BOX = '$fp'

/**
 * A container of the encoded form that is not encoded yet: its children are the caller's values, further
 * shells, or finished primitives. Walking a shell is how a Map, a Set or a class instance is compared and
 * encoded by the same code as a plain object.
 */
export class Shell {
  readonly node: readonly unknown[] | Readonly<Record<string, unknown>>

  constructor(node: readonly unknown[] | Readonly<Record<string, unknown>>) {
    this.node = node
  }
}

export const boxShell = (kind: string, ...payload: readonly unknown[]): Shell =>
  new Shell({ [BOX]: new Shell([kind, ...payload]) })

export const entriesShell = (entries: Iterable<readonly [unknown, unknown]>): Shell =>
  new Shell(Array.from(entries, (entry) => new Shell(entry)))

/** The payload of a box with its kind first; undefined for anything that is not a box. */
export function boxPayload(value: Json | undefined): readonly Json[] | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  if (!Object.hasOwn(value, BOX)) return undefined
  const payload = (value as { readonly [BOX]: Json })[BOX]
  return Array.isArray(payload) ? (payload as readonly Json[]) : undefined
}
