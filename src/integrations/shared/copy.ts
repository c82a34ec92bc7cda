/**
 * A copy of `now` that shares with `before`, an earlier copy, what is the same: all of it when nothing differs. Functions
 * and symbols are left out, as in JSON: stores hold their actions beside their state.
 */
export function copyOf(before: unknown, now: unknown): unknown {
  try {
    return copied(before, now, new Set())
  } catch (error) {
    if (error !== CIRCULAR && !(error instanceof RangeError)) throw error
    // Circles can be kept, and what is nested too deep is refused, by those who know how.
    return new Whole(now)
  }
}

/** Whether a copy says that nothing has changed. */
export const isSame = (before: unknown, copy: unknown): boolean => Object.is(before, copy) && !isOpaque(copy)

/** What a copy is of: that itself, where it could not be copied. */
export const valueOf = (copy: unknown): unknown => (copy instanceof Whole ? copy.value : copy)

/** Something that is passed on as it is. */
class Whole {
  readonly value: unknown
  constructor(value: unknown) {
    this.value = value
  }
}

const CIRCULAR = Symbol('circular')

function copied(before: unknown, now: unknown, within: Set<unknown>): unknown {
  if (typeof now !== 'object' || now === null) return now
  if (now instanceof Date) return before instanceof Date && +before === +now ? before : new Date(now)
  if (isOpaque(now)) return now
  if (within.has(now)) throw CIRCULAR
  within.add(now)
  const copy = containerOf(before, now, within)
  within.delete(now)
  return copy
}

function containerOf(before: unknown, now: object, within: Set<unknown>): unknown {
  if (Array.isArray(now)) return listOf(Array.isArray(before) ? before : undefined, now, within)
  if (now instanceof Map || now instanceof Set) {
    const had = before?.constructor === now.constructor ? [...(before as Set<unknown>)] : undefined
    const items = listOf(had, [...now], within)
    if (items === had) return before
    return now instanceof Map ? new Map(items as [unknown, unknown][]) : new Set(items)
  }
  return recordOf(isPlain(before) ? before : undefined, now as Readonly<Record<string, unknown>>, within)
}

function listOf(
  before: readonly unknown[] | undefined,
  now: readonly unknown[],
  within: Set<unknown>,
): readonly unknown[] {
  let isOther = before?.length !== now.length
  const items = Array.from(now, (item, i) => {
    const copy = isLeftOut(item) ? null : copied(before?.[i], item, within)
    isOther ||= !isSame(before?.[i], copy)
    return copy
  })
  return before && !isOther ? before : items
}

function recordOf(
  before: Readonly<Record<string, unknown>> | undefined,
  now: Readonly<Record<string, unknown>>,
  within: Set<unknown>,
): unknown {
  const names = before ? Object.keys(before) : []
  let isOther = false
  const entries = Object.keys(now).flatMap((name): [string, unknown][] => {
    const value = now[name]
    if (isLeftOut(value)) return []
    const had = before && Object.hasOwn(before, name) ? before[name] : undefined
    const copy = copied(had, value, within)
    isOther ||= !isSame(had, copy)
    return [[name, copy]]
  })
  // The order of names counts too: it is how a text of them would differ.
  isOther ||= names.length !== entries.length || entries.some(([name], i) => name !== names[i])
  return before && !isOther ? before : Object.fromEntries(entries)
}

const isLeftOut = (value: unknown): boolean => typeof value === 'function' || typeof value === 'symbol'

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const parent: unknown = Object.getPrototypeOf(value)
  return parent === null || parent === Object.prototype
}

/** Nobody here can tell whether it has changed: it stands for itself. */
const isOpaque = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !isPlain(value) &&
  !(value instanceof Date || value instanceof Map || value instanceof Set)
