import { CheckpointerError } from '../../errors.ts'
import { longestGiven } from '../keys.ts'
import { bytesOf, type Batch, type Key, type Limits, type Table } from '../storage.ts'

/** For adapters: refuses a batch beyond the limits, before anything is done with it. */
export function refuseTooLarge(limits: Limits, batch: Batch): void {
  const { checks = [], puts = [], deletes = [], deleteRanges = [] } = batch
  const operations = checks.length + puts.length + deletes.length + deleteRanges.length
  if (operations > limits.operations) throw tooLarge('commit', operations, limits.operations, 'operations')
  let total = 0
  for (const put of puts) {
    const size = bytesOf(put)
    total += size
    if (size > limits.valueBytes) throw tooLarge('row', size, limits.valueBytes)
    for (const key of [put.key, put.alias ?? []]) {
      const length = keyBytes(key)
      if (length > limits.keyBytes) throw tooLong(put.table, key, length, limits.keyBytes)
    }
  }
  if (total > limits.commitBytes) throw tooLarge('commit', total, limits.commitBytes)
}

/** As the limits count them. */
export const keyBytes = (key: Key): number =>
  key.reduce<number>((sum, part) => sum + (typeof part === 'string' ? part.length : 16), 0)

/** Nothing of it can be kept elsewhere: it is what the caller calls something. */
function tooLong(table: Table, key: Key, length: number, most: number): CheckpointerError {
  const path = longestGiven(table, key)
  return new CheckpointerError(
    'TOO_LARGE',
    `${path ? `The ${path} is too long: a` : 'A'} key of ${length} bytes; this storage takes at most ${most}. Give a shorter one, such as a hash of it. All but letters, digits, '_', '-' and '.' take five bytes each.`,
    { ...(path ? { path } : {}), outcome: 'none' },
  )
}

function tooLarge(what: string, size: number, most: number, unit = 'bytes'): CheckpointerError {
  return new CheckpointerError(
    'TOO_LARGE',
    `A ${what} of ${size} ${unit}: this storage takes at most ${most}. Keep what is so large elsewhere, and in the state where it is.`,
  )
}
