import { CheckpointerError } from '../../errors.ts'
import { asciiJson } from '../../state/json-bytes.ts'
import { CURRENT_FORMAT } from '../../storage/format-version.ts'
import { placeOfRow } from '../../storage/keys.ts'
import type { Key, Row, Table } from '../../storage/storage.ts'
import type { Guard } from '../shapes/shape.ts'
import { murmur3 } from './checksum.ts'

/**
 * The head of every row: `<format>.<sum>.<facts>`, where facts is JSON in ASCII and sum is eight hex digits over the
 * format, where the row stands, the facts and the body. A row that was damaged, or stands where another belongs, fails it.
 */
const encoder = new TextEncoder()

export function seal(partition: string, table: Table, key: Key, facts: object, body?: Uint8Array): string {
  const json = asciiJson(facts)
  return `${CURRENT_FORMAT}.${sum(CURRENT_FORMAT, partition, table, key, json, body)}.${json}`
}

/** The facts of a row, of any shape; or `CORRUPT` when it is not what was written. */
export function unseal(partition: string, table: Table, row: Row): unknown {
  const match = /^(\d{1,4})\.([0-9a-f]{8})\./.exec(row.head)
  if (!match) throw corrupt(table, row.key, 'its head cannot be read')
  const format = Number(match[1])
  const json = row.head.slice(match[0].length)
  const sumAs = (assumed: number): string => sum(assumed, partition, table, row.key, json, row.body)
  // A newer format may be summed in another way; but one that fits as ours had its number damaged.
  if (format > CURRENT_FORMAT && sumAs(CURRENT_FORMAT) !== match[2]) {
    throw new CheckpointerError(
      'FORMAT_TOO_NEW',
      `A row of ${table} has format ${format}, this version reads up to ${CURRENT_FORMAT}. Update the package.`,
      placeOfRow(table, row.key),
    )
  }
  if (sumAs(format) !== match[2]) throw corrupt(table, row.key, 'its checksum does not fit')
  try {
    return JSON.parse(json)
  } catch (cause) {
    throw corrupt(table, row.key, 'its facts are no JSON', cause)
  }
}

/** The same, where they have the shape that is asked for: a sum protects from damage, not from a forger or an older fault. */
export function unsealAs<T>(partition: string, table: Table, row: Row, isOne: Guard<T>): T {
  const facts = unseal(partition, table, row)
  if (!isOne(facts)) throw corrupt(table, row.key, 'its facts are not what such a row holds')
  return facts
}

function sum(
  format: number,
  partition: string,
  table: Table,
  key: Key,
  json: string,
  body: Uint8Array | undefined,
): string {
  const place = sumOfText(`${JSON.stringify([format, partition, table, ...key])}\n${json}`)
  return (body ? murmur3(body, place) : place).toString(16).padStart(8, '0')
}

const scratch = new Uint8Array(16 * 1024)

/** Heads are short and many: they are encoded into the same memory again and again. */
function sumOfText(text: string): number {
  const { read, written } = encoder.encodeInto(text, scratch)
  return murmur3(read === text.length ? scratch.subarray(0, written) : encoder.encode(text), 0)
}

/** What cannot be what was written, with its place. */
export function corrupt(table: Table, key: Key, why: string, cause?: unknown): CheckpointerError {
  return new CheckpointerError('CORRUPT', `A row of ${table} at ${JSON.stringify(key)} is damaged: ${why}.`, {
    ...placeOfRow(table, key),
    cause,
  })
}
