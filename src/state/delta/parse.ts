import { CheckpointerError } from '../../errors.ts'
import { pathText } from '../json.ts'
import type { Json } from '../json.ts'
import type { Delta } from './op.ts'

const isCount = (value: Json | undefined): boolean => Number.isSafeInteger(value) && (value as number) >= 0
const areKeys = (value: Json | undefined): boolean =>
  Array.isArray(value) && value.every((key) => typeof key === 'string')
const isPath = (value: Json | undefined): boolean =>
  Array.isArray(value) && value.every((step) => typeof step === 'string' || isCount(step as Json))

function isOp(op: Json): boolean {
  if (!Array.isArray(op)) return false
  const [kind, path, a, b, c] = op as readonly Json[]
  if (!isPath(path)) return false
  if (kind === '=') return op.length === 3 && a !== undefined
  if (kind === '-' || kind === '{') return op.length === 3 && areKeys(a)
  if (op.length !== 5 || !isCount(a) || !isCount(b)) return false
  return kind === '[' ? Array.isArray(c) : kind === '"' && typeof c === 'string'
}

/** What a stored row or another realm says is a delta. Whether it fits a state, only `fold` can tell. */
export function parseDelta(value: unknown): Delta {
  if (!Array.isArray(value)) throw new CheckpointerError('CORRUPT', 'a delta is a list of operations')
  value.forEach((op: Json, index) => {
    if (isOp(op)) return
    const path = pathText([index])
    throw new CheckpointerError('CORRUPT', 'not an operation of a delta', { path })
  })
  return value as Delta
}
