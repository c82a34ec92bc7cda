/** What requests of several kinds have in common. */
import { either, isId, isNamespace, isSeq, isText, type Is } from '../operations/shapes/shape.ts'

export const MOST_PAGE = 10_000

export const isNumber: Is = (value) => Number.isFinite(value)
export const isPage: Is = (value) =>
  Number.isSafeInteger(value) && (value as number) > 0 && (value as number) <= MOST_PAGE
export const isRef: Is = either(isSeq, isId)

export const PLACE = { thread: isId, namespace: isNamespace }
export const FENCED = { lease: isText }
