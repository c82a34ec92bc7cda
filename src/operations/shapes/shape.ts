/** Checks of what came from elsewhere, to be put together: a file may come from anyone, and so may a call or a row. */
import { checkId, checkNamespace } from '../../ids.ts'
import { isJsonObject } from '../../state/json.ts'

export type Is = (value: unknown) => boolean
export type Guard<T> = (value: unknown) => value is T
/** A check for every field of a type: the compiler sees to it that none is forgotten. */
type Fields<T> = { readonly [K in keyof T]-?: Is }

const MOST_TEXT = 1024
export const MOST_LIST = 10_000
/** Whoever goes on from there has more seqs than can ever be given: no two of them run together. */
const MOST_SEQ = 2 ** 50
/** Beyond it a time is no date. */
const MOST_TIME = 8.64e15

export const isCount: Is = (value) => Number.isSafeInteger(value) && (value as number) >= 0
export const isSeq: Is = (value) => isCount(value) && (value as number) <= MOST_SEQ
export const isTime: Is = (value) => Number.isFinite(value) && Math.abs(value as number) <= MOST_TIME
export const isNumber: Is = (value) => Number.isFinite(value)
export const isText: Is = (value) => typeof value === 'string'
export const isShort: Is = (value) => typeof value === 'string' && value.length <= MOST_TEXT
export const isFlag: Is = (value) => typeof value === 'boolean'
export const isBytes: Is = (value) => value instanceof Uint8Array
/** A lane, or whose parts they are: it stands in keys as it is. */
export const isName: Is = (value) => typeof value === 'string' && /^[\w:-]{1,64}$/.test(value)

/** The value itself. */
export const is =
  (...wanted: readonly unknown[]): Is =>
  (value) =>
    wanted.includes(value)

export const isList =
  (each: Is, most = Infinity): Is =>
  (value) =>
    Array.isArray(value) && value.length <= most && value.every(each)
/** Of an object, under whatever names. */
export const isEach =
  (each: Is): Is =>
  (value) =>
    isJsonObject(value) && Object.values(value).every(each)
export const isPair =
  (a: Is, b: Is): Is =>
  (value) =>
    Array.isArray(value) && value.length === 2 && a(value[0]) && b(value[1])
export const either =
  (...kinds: readonly Is[]): Is =>
  (value) =>
    kinds.some((kind) => kind(value))

const passes =
  (check: (kind: string, value: unknown) => void): Is =>
  (value) => {
    try {
      check('', value)
      return true
    } catch {
      return false
    }
  }
export const isId: Is = passes(checkId)
export const isNamespace: Is = passes(checkNamespace)

/** Own properties alone, every one of them known, and none missing that must be there. */
export const isRecord =
  <T>(fields: Fields<T>, optional: readonly (keyof T)[] = []): Is =>
  (value) =>
    isJsonObject(value) &&
    Object.keys(value).every((name) => Object.hasOwn(fields, name) && fields[name as keyof T](value[name])) &&
    Object.keys(fields).every((name) => Object.hasOwn(value, name) || optional.includes(name as keyof T))

/**
 * Of a row: what is known of it is what it must be. Others may stand beside, as a later version writes more, and they stay.
 * Every row that is read comes by here.
 */
export const holds = <T>(fields: Fields<T>, optional: readonly (keyof T)[] = []): Guard<T> => {
  const all = Object.entries<Is>(fields).map(([name, check]) => {
    return { name, check, mayLack: optional.includes(name as keyof T) }
  })
  return (value): value is T => {
    if (!isJsonObject(value)) return false
    for (const { name, check, mayLack } of all) {
      const held = value[name]
      if (held === undefined ? !mayLack : !check(held)) return false
    }
    return true
  }
}

/** The same without what a later version has written beside: for those who take nothing that they do not know. */
export const known =
  <T extends object>(fields: Fields<T>) =>
  (value: T): T => {
    const others = Object.keys(value).filter((name) => !Object.hasOwn(fields, name))
    if (others.length === 0) return value
    const told = { ...value }
    for (const name of others) Reflect.deleteProperty(told, name)
    return told
  }
