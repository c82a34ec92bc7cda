/**
 * A message as bytes, for wires that carry nothing else: the length of a header, the header in JSON, then all byte
 * arrays one behind the other. The header says where in the value each of them stands.
 */
import { CheckpointerError } from '../errors.ts'
import { isJsonObject, MAX_DEPTH, setOwn } from '../state/json.ts'
import { isNestedWithin } from './nesting.ts'

/** Where a byte array stands in the value, and how long it is. */
type Slot = readonly [path: readonly (string | number)[], length: number]

interface Header {
  readonly value: unknown
  readonly slots: readonly Slot[]
}

const LENGTH_BYTES = 4
/** Deeper than any request or reply of ours; states are bytes here. */
const MOST_DEPTH = 64
/** Of a call, in bytes: 100,000 ids, or a few extras as large as they may be. States are not in it. */
const MOST_HEADER = 16 * 2 ** 20
/** An extra may nest as deep as a state, where a box takes a few brackets. */
const MOST_BRACKETS = 16 * MAX_DEPTH

export function pack(value: unknown): Uint8Array<ArrayBuffer> {
  const slots: Slot[] = []
  const bodies: Uint8Array[] = []
  const path: (string | number)[] = []
  const plain = (part: unknown): unknown => {
    if (part instanceof Uint8Array) {
      slots.push([[...path], part.byteLength])
      bodies.push(part)
      return null
    }
    if (typeof part !== 'object' || part === null || path.length > MOST_DEPTH) return part
    const under = (name: string | number, inner: unknown): unknown => {
      path.push(name)
      const made = plain(inner)
      path.pop()
      return made
    }
    if (Array.isArray(part)) return part.map((inner, index) => under(index, inner))
    const copy: Record<string, unknown> = {}
    for (const [name, inner] of Object.entries(part)) setOwn(copy, name, under(name, inner))
    return copy
  }
  const header = new TextEncoder().encode(JSON.stringify({ value: plain(value), slots } satisfies Header))
  const bytes = new Uint8Array(
    bodies.reduce((sum, body) => sum + body.byteLength, LENGTH_BYTES + header.byteLength),
  )
  new DataView(bytes.buffer).setUint32(0, header.byteLength)
  bytes.set(header, LENGTH_BYTES)
  let at = LENGTH_BYTES + header.byteLength
  for (const body of bodies) {
    bytes.set(body, at)
    at += body.byteLength
  }
  return bytes
}

/** What a caller has sent. Nobody was asked about it yet: so it takes little to look at, whatever it is. */
export function unpackCall(bytes: Uint8Array): unknown {
  const header = bytes.subarray(LENGTH_BYTES, endOfHeader(bytes))
  if (header.length > MOST_HEADER)
    throw new CheckpointerError('TOO_LARGE', `A call has ${MOST_HEADER} bytes at most beside its states.`, {
      outcome: 'none',
    })
  if (!isNestedWithin(MOST_BRACKETS, header))
    throw new CheckpointerError('INVALID', 'A call is not nested that deep.', { outcome: 'none' })
  return unpack(bytes)
}

/** As far as the bytes say; it may be behind their own. */
function endOfHeader(bytes: Uint8Array): number {
  if (bytes.length < LENGTH_BYTES) return 0
  return LENGTH_BYTES + new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0)
}

/** Throws `INVALID` for what `pack` did not make. Byte arrays come as copies, each with a buffer of its own. */
export function unpack(bytes: Uint8Array): unknown {
  try {
    const end = endOfHeader(bytes)
    if (end < LENGTH_BYTES || end > bytes.byteLength) throw new RangeError('the header is cut off')
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(LENGTH_BYTES, end))
    const header = JSON.parse(text) as { value?: unknown; slots?: unknown }
    if (!isJsonObject(header) || !Array.isArray(header['slots'])) throw new TypeError('no header')
    const root = { value: header['value'] }
    let at = end
    for (const slot of header['slots'] as unknown[]) {
      const [path, length] = asSlot(slot)
      if (at + length > bytes.byteLength) throw new RangeError('a part is cut off')
      place(root, ['value', ...path], bytes.slice(at, at + length))
      at += length
    }
    if (at !== bytes.byteLength) throw new RangeError('there is more than the header says')
    return root.value
  } catch (cause) {
    throw new CheckpointerError('INVALID', 'This is not a message of this package.', { cause })
  }
}

function asSlot(slot: unknown): Slot {
  if (!Array.isArray(slot) || slot.length !== 2) throw new TypeError('no slot')
  const [path, length] = slot as readonly unknown[]
  const isPath =
    Array.isArray(path) &&
    path.length <= MOST_DEPTH + 1 &&
    path.every((name) => typeof name === 'string' || Number.isSafeInteger(name))
  if (!isPath || !Number.isSafeInteger(length) || (length as number) < 0) throw new TypeError('no slot')
  return [path as (string | number)[], length as number]
}

/** Only where the header has left a place for it: an own property that is null. */
function place(root: object, path: readonly (string | number)[], bytes: Uint8Array): void {
  const last = path.at(-1) as string | number
  let target: unknown = root
  for (const name of path.slice(0, -1)) target = own(target, name)
  if (own(target, last) !== null) throw new TypeError('no place for a part')
  if (Array.isArray(target)) target[Number(last)] = bytes
  else setOwn(target as Record<string, unknown>, String(last), bytes)
}

function own(target: unknown, name: string | number): unknown {
  if (typeof target !== 'object' || target === null || !Object.hasOwn(target, name))
    throw new TypeError('no such place')
  return (target as Record<string | number, unknown>)[name]
}
