/** For callers without types: a clear refusal in place of a failure somewhere inside, or of silence. */
import { CheckpointerError } from '../../errors.ts'
import { checkId, checkNamespace } from '../../ids.ts'
import { distance } from './distance.ts'

/** The names of all options; the compiler sees to it that none is missing and none too many. */
export type Names<T> = Readonly<Record<keyof T, true>>

/** For what callers give: what may be absent may also be there and undefined. */
export type OrUndefined<T> = { readonly [K in keyof T]: T[K] | undefined }

const MOST_TYPOS = 2
const MOST_SHOWN = 40

export const invalid = (path: string, wanted: string, subject = path): CheckpointerError =>
  new CheckpointerError('INVALID', `${subject} must be ${wanted}.`, { path })

/** Runs what may run code of the caller's: getters and proxies. */
export function reading<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (CheckpointerError.is(cause)) throw cause
    throw new CheckpointerError('INVALID', `${path} could not be read.`, { path, cause })
  }
}

/**
 * The options, each read once; refuses what is no object, and names that nobody knows. `path` is where they stand:
 * nowhere for those of a method itself.
 */
export function checkOptions<T extends object>(of: string, options: T, allowed: Names<T>, path = ''): T {
  const given: unknown = options
  if (typeof given !== 'object' || given === null || reading(path || 'options', () => Array.isArray(given)))
    throw invalid(path || 'options', 'an object', path || `What ${of} is given`)
  const placed = (name: string): string => (path === '' ? name : `${path}.${name}`)
  for (const name of reading(path || 'options', () => Object.keys(given)))
    if (!Object.hasOwn(allowed, name)) throw unknown(of, name, Object.keys(allowed), placed(shown(name)))
  const names = Object.keys(allowed).filter((name) => reading(placed(name), () => name in given))
  return Object.fromEntries(
    names.map((name) => [name, reading(placed(name), () => (given as Record<string, unknown>)[name])]),
  ) as T
}

function unknown(of: string, name: string, allowed: readonly string[], path: string): CheckpointerError {
  const [nearest] = allowed
    .map((each) => ({ each, typos: distance(shown(name).toLowerCase(), each.toLowerCase()) }))
    .filter(({ typos }) => typos <= Math.min(MOST_TYPOS, name.length - 1))
    .sort((a, b) => a.typos - b.typos)
  const hint = nearest ? `; did you mean '${nearest.each}'?` : `. There are: ${allowed.join(', ')}.`
  return new CheckpointerError('INVALID', `${of} has no option '${shown(name)}'${hint}`, { path })
}

const shown = (name: string): string => (name.length > MOST_SHOWN ? `${name.slice(0, MOST_SHOWN)}…` : name)

/** An id, and the option or argument that it was given as. */
export function checkIdAt(path: string, kind: string, id: unknown): asserts id is string {
  checkedAt(path, () => checkId(kind, id))
}

/** The same for a namespace. */
export function checkNamespaceAt(path: string, namespace: unknown): asserts namespace is string {
  checkedAt(path, () => checkNamespace('A namespace', namespace))
}

function checkedAt(path: string, check: () => void): void {
  try {
    check()
  } catch (error) {
    if (!CheckpointerError.is(error)) throw error
    throw new CheckpointerError('INVALID', error.message, { path })
  }
}

/** A reference to a checkpoint: its seq or its id. */
export function checkRef(
  path: string,
  ref: unknown,
  wanted = 'a seq or an id',
): asserts ref is number | string {
  if (typeof ref === 'number') {
    if (!Number.isSafeInteger(ref) || ref < 0)
      throw invalid(path, `${wanted}; a seq is a whole number from 0`)
  } else {
    if (typeof ref !== 'string') throw invalid(path, wanted)
    checkIdAt(path, path, ref)
  }
}

/** A list's items, holes among them. */
export function itemsOf(path: string, list: unknown, wanted: string, most = Infinity): unknown[] {
  return reading(path, () => {
    if (!Array.isArray(list) || list.length > most) throw invalid(path, wanted)
    return Array.from({ length: list.length }, (_, i) => list[i] as unknown)
  })
}

/** One thread's id, or a list of them. */
export function threadIdsOf(path: string, ids: unknown): string[] {
  if (typeof ids === 'string') {
    checkIdAt(path, 'A thread id', ids)
    return [ids]
  }
  return itemsOf(path, ids, 'a thread id, or a list of them').map((id, i) => {
    checkIdAt(`${path}[${i}]`, 'A thread id', id)
    return id
  })
}

export function checkLimit(limit: number | undefined): void {
  if (limit === undefined || limit === Number.POSITIVE_INFINITY) return
  if (!Number.isSafeInteger(limit) || limit < 0) throw invalid('limit', 'a whole number from 0')
}

export function checkFlag(path: string, flag: boolean | undefined): void {
  if (flag !== undefined && typeof flag !== 'boolean') throw invalid(path, 'true or false')
}

export function checkFunction(path: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'function') throw invalid(path, 'a function')
}

export function checkSignal(signal: AbortSignal | undefined): void {
  if (signal !== undefined && typeof (signal as AbortSignal | null)?.throwIfAborted !== 'function')
    throw invalid('signal', 'an AbortSignal')
}

/** The instant of a date, also of another window's; NaN for all else. */
export function timeOf(date: unknown): number {
  try {
    return Date.prototype.getTime.call(date)
  } catch {
    return Number.NaN
  }
}
