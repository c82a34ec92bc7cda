import { randomId } from '../../ids.ts'
import { hashOf } from './hash.ts'
import { isPlain, namesIn } from './same.ts'

/** By which a value is known again without being kept: that of another is the same if `same` says so of the two. */
export const fingerprintOf = (value: unknown): string => hashOf(textOf(value))

function textOf(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '-0' : String(value)
  if (Array.isArray(value)) return `[${value.map(textOf).join()}]`
  if (value instanceof Uint8Array) return `bytes(${value.join()})`
  if (value instanceof Date) return `date(${value.getTime()})`
  // Nobody here can tell what others say: they are like nothing else.
  if (!isPlain(value)) return randomId()
  const entries = [...namesIn(value)].sort().map((name) => `${JSON.stringify(name)}:${textOf(value[name])}`)
  return `{${entries.join()}}`
}
