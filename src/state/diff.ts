import { CheckpointerError } from '../errors.ts'
import { Walk } from './capture/walk.ts'
import type { Delta } from './delta/op.ts'
import { pathText } from './json.ts'
import type { Json } from './json.ts'
import { merge } from './merge/merge.ts'

/** What turns one encoded state into another: `fold(before, diff(before, after))` equals `after`. */
export function diff(before: Json, after: Json): Delta {
  const walk = new Walk((json) => json)
  try {
    merge(walk, after, before)
  } catch (cause) {
    const path = pathText(walk.path())
    throw new CheckpointerError('INVALID', 'these states cannot be compared: they nest too deep', {
      path,
      cause,
    })
  }
  return walk.ops
}
