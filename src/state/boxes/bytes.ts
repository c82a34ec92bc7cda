import type { Json } from '../json.ts'
import { fromBase64, isBase64Of, toBase64 } from '../../platform/base64.ts'
import { Refusal } from './refusal.ts'
import { BOX, boxPayload } from './shell.ts'

interface ViewClass {
  new (buffer: ArrayBuffer): ArrayBufferView
  readonly BYTES_PER_ELEMENT?: number
}

/** Every class that a stored row may name. The bytes stand as they lie in memory: little-endian. */
const VIEWS: ReadonlyMap<string, ViewClass> = new Map(
  [
    'Int8Array',
    'Uint8Array',
    'Uint8ClampedArray',
    'Int16Array',
    'Uint16Array',
    'Int32Array',
    'Uint32Array',
    'Float16Array',
    'Float32Array',
    'Float64Array',
    'BigInt64Array',
    'BigUint64Array',
    'DataView',
  ].flatMap((name) => {
    const known = (globalThis as unknown as Record<string, ViewClass | undefined>)[name]
    return known === undefined ? [] : [[name, known] as const]
  }),
)

export const isBytesClass = (name: string): boolean => name === 'ArrayBuffer' || VIEWS.has(name)

/** A view onto a part of a buffer keeps that part alone. */
export function encodeBytes(
  value: ArrayBuffer | ArrayBufferView,
  name: string,
  prev: Json | undefined,
): Json {
  const isView = ArrayBuffer.isView(value)
  const buffer = isView ? value.buffer : value
  if (Object.prototype.toString.call(buffer) === '[object SharedArrayBuffer]') {
    throw new Refusal('shared memory cannot be stored: store a copy, `bytes.slice()`')
  }
  if ((buffer as { detached?: boolean }).detached === true) {
    throw new Refusal('these bytes were transferred away: save before transferring them')
  }
  const bytes = isView ? new Uint8Array(buffer, value.byteOffset, value.byteLength) : new Uint8Array(buffer)
  const payload = boxPayload(prev)
  const before =
    payload?.[0] === 'bytes' && payload[1] === name && payload.length === 3 ? payload[2] : undefined
  if (typeof before === 'string' && isBase64Of(before, bytes)) return prev!
  return { [BOX]: ['bytes', name, toBase64(bytes)] }
}

/** Throws anything when the row was altered. */
export function decodeBytes(payload: readonly Json[]): ArrayBuffer | ArrayBufferView {
  const [, name, text] = payload
  if (typeof name !== 'string' || typeof text !== 'string' || payload.length !== 3)
    throw new Error('not bytes')
  const bytes = fromBase64(text)
  if (bytes === undefined) throw new Error('not base64')
  if (name === 'ArrayBuffer') return bytes.buffer
  const View = VIEWS.get(name)
  if (View === undefined) throw new Error('no such view of bytes here')
  return new View(bytes.buffer)
}
