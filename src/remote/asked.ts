/** What requests of several kinds have in common. */
import { either, isId, isNamespace, isSeq, isShort, type Is } from '../operations/shapes/shape.ts'

export const MOST_PAGE = 10_000

export const isNumber: Is = (value) => Number.isFinite(value)
export const isPage: Is = (value) =>
  Number.isSafeInteger(value) && (value as number) > 0 && (value as number) <= MOST_PAGE
export const isRef: Is = either(isSeq, isId)

/** As it stands in a key: other text is asked of no engine, some of which fail at it. */
export const isStored: Is = (value) => typeof value === 'string' && /^[^\0\p{Surrogate}]*$/u.test(value)
/** Of a row, as a storage has given it. */
export const isVersion: Is = (value) => isStored(value) && isShort(value) && value !== ''

export const PLACE = { thread: isId, namespace: isNamespace }
export const FENCED = { lease: isVersion }
