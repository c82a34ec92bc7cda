import { isPut, type LoggedPut } from './logged-put.ts'
import type { Key, Table } from '../../storage.ts'

export const FORMAT = 1

/** The first line of a log. */
export interface Header {
  readonly n: 0
  /** New whenever the file is written anew. */
  readonly log: string
  readonly format: number
  readonly partition: string
}

interface Gone {
  readonly table: Table
  readonly key: Key
}

interface GoneRange {
  readonly table: Table
  readonly from: Key
  readonly to: Key
}

/** Every other line: one commit, carried out in the order of its parts. */
export interface Entry {
  /** One more than the line before. */
  readonly n: number
  readonly at: string
  readonly version: string
  readonly deleteRanges?: readonly GoneRange[]
  readonly deletes?: readonly Gone[]
  readonly puts?: readonly LoggedPut[]
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** `{"sum":"01234567",` — the sum is of all that comes behind, to the closing brace. */
const SUM = 18
export const NEWLINE = 10

/** Without the field `sum`, and with it as the first one. */
export function toLine(content: Header | Entry): Uint8Array {
  const rest = encoder.encode(JSON.stringify(content).slice(1))
  const line = new Uint8Array(SUM + rest.length + 1)
  line.set(encoder.encode(`{"sum":"${crc32(rest).toString(16).padStart(8, '0')}",`))
  line.set(rest, SUM)
  line[line.length - 1] = NEWLINE
  return line
}

/** What a line says, or nothing when it is not as it was written. Without its newline. */
export function fromLine(line: Uint8Array): Header | Entry | undefined {
  const rest = line.subarray(SUM)
  try {
    const start = /^\{"sum":"([0-9a-f]{8})",$/.exec(decoder.decode(line.subarray(0, SUM)))
    if (!start || Number.parseInt(start[1] as string, 16) !== crc32(rest)) return undefined
    const content: unknown = JSON.parse(`{${decoder.decode(rest)}`)
    return isHeader(content) || isEntry(content) ? content : undefined
  } catch {
    return undefined
  }
}

export const isHeader = (content: unknown): content is Header =>
  isObject(content) && content['n'] === 0 && typeof content['log'] === 'string'

function isEntry(content: unknown): content is Entry {
  if (!isObject(content)) return false
  const { n, version, puts = [], deletes = [], deleteRanges = [] } = content
  return (
    Number.isSafeInteger(n) &&
    (n as number) > 0 &&
    typeof version === 'string' &&
    [puts, deletes, deleteRanges].every(Array.isArray) &&
    (puts as unknown[]).every(isPut)
  )
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1
  return sum
})

/** The usual CRC-32, so that any tool can check a line: what changed within 32 bits in a row never goes unseen. */
function crc32(bytes: Uint8Array): number {
  let sum = 0xffffffff
  for (let i = 0; i < bytes.length; i++)
    sum = (TABLE[(sum ^ (bytes[i] as number)) & 255] as number) ^ (sum >>> 8)
  return (sum ^ 0xffffffff) >>> 0
}
