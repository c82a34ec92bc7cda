import { CheckpointerError } from '../../errors.ts'
import { decodeLeaf } from '../boxes/leaf.ts'
import { Unregistered } from '../boxes/type-table.ts'
import type { TypeTable } from '../boxes/type-table.ts'
import { pathText } from '../json.ts'
import type { Json } from '../json.ts'
import { Decoder } from './decoder.ts'

export const decoderOf = (types: TypeTable): Decoder => new Decoder(types, decodeLeaf)

/** The value an encoded state stands for. The state may come from anywhere: everything in it is checked. */
export function decode(state: Json, types: TypeTable): unknown {
  const decoder = decoderOf(types)
  try {
    return decoder.value(state)
  } catch (cause) {
    throw undecodable(decoder, cause)
  }
}

/** What a decoder could not make sense of, and where. */
export function undecodable({ path: steps }: Decoder, cause: unknown): CheckpointerError {
  const path = pathText(steps)
  if (cause instanceof Unregistered) return new CheckpointerError('INVALID', cause.message, { path })
  return new CheckpointerError('CORRUPT', `a stored value is not what it should be at ${path}`, {
    path,
    cause,
  })
}
