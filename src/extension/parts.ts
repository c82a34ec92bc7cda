/** Ports speak JSON, and not of any size: a message goes as pieces of text, one behind the other. */
import { CheckpointerError } from '../errors.ts'
import { pack, unpack } from '../remote/pack.ts'
import type { Room } from './room.ts'

/** A piece of the message `id`, which has `of` of them. */
export interface Part {
  readonly id: number
  readonly at: number
  readonly of: number
  readonly text: string
}

/** Of three bytes each four characters come. */
const BYTES_A_PART = 3 * 2 ** 18
const CHARACTERS_A_PART = 4 * 2 ** 18
/** Arguments that a call takes without a thought. */
const AT_ONCE = 0x8000

export function* partsOf(id: number, message: unknown): Generator<Part> {
  const bytes = pack(message)
  const of = Math.ceil(bytes.length / BYTES_A_PART)
  for (let at = 0; at < of; at++)
    yield { id, at, of, text: textOf(bytes.subarray(at * BYTES_A_PART, (at + 1) * BYTES_A_PART)) }
}

export function isPart(value: unknown): value is Part {
  if (typeof value !== 'object' || value === null) return false
  const { id, at, of, text } = value as Partial<Record<keyof Part, unknown>>
  return [id, at, of].every((number) => Number.isSafeInteger(number)) && typeof text === 'string'
}

/**
 * Puts messages together again. The pieces of one come without those of another in between. All but the last are full:
 * so there are no more of them than the bytes ask for.
 */
export class Assembly {
  readonly #room: Room
  readonly #unpack: typeof unpack
  #pieces: Uint8Array[] = []
  #length = 0
  #id: number | undefined

  constructor(room: Room, unpackAs = unpack) {
    this.#room = room
    this.#unpack = unpackAs
  }

  /** The message, when this was the last piece of it. */
  add(part: Part): { readonly message: unknown } | undefined {
    try {
      return this.#add(part)
    } catch (error) {
      this.clear()
      throw error
    }
  }

  /** Forgets what has not come whole. */
  clear(): void {
    this.#room.give(this.#length)
    this.#id = undefined
    this.#pieces = []
    this.#length = 0
  }

  #add({ id, at, of, text }: Part): { readonly message: unknown } | undefined {
    if (at === 0) {
      this.clear()
      this.#id = id
    }
    if (id !== this.#id || at !== this.#pieces.length || at >= of)
      throw new CheckpointerError('INVALID', 'A piece of a message came out of its order.')
    const { most } = this.#room
    if (of > Math.ceil(most / BYTES_A_PART)) throw tooLarge(most)
    const isLast = at === of - 1
    if (isLast ? text.length > CHARACTERS_A_PART : text.length !== CHARACTERS_A_PART)
      throw new CheckpointerError('INVALID', 'A piece of a message is not as large as it must be.')
    const bytes = bytesOf(text)
    if (!this.#room.take(bytes.length)) throw tooLarge(most)
    this.#pieces.push(bytes)
    this.#length += bytes.length
    if (!isLast) return undefined
    const whole = new Uint8Array(this.#length)
    let end = 0
    for (const piece of this.#pieces) {
      whole.set(piece, end)
      end += piece.length
    }
    this.clear()
    return { message: this.#unpack(whole) }
  }
}

const tooLarge = (most: number): CheckpointerError =>
  new CheckpointerError('TOO_LARGE', `Messages may have ${most} bytes at most, with others under way.`, {
    outcome: 'none',
  })

interface Base64Bytes extends Uint8Array {
  /** In newer engines. */
  toBase64?(): string
}

function textOf(bytes: Base64Bytes): string {
  if (bytes.toBase64) return bytes.toBase64()
  let text = ''
  for (let at = 0; at < bytes.length; at += AT_ONCE)
    text += String.fromCharCode(...bytes.subarray(at, at + AT_ONCE))
  return btoa(text)
}

const native = (Uint8Array as { fromBase64?(text: string): Uint8Array }).fromBase64?.bind(Uint8Array)

function bytesOf(text: string): Uint8Array {
  try {
    if (native) return native(text)
    const binary = atob(text)
    const bytes = new Uint8Array(binary.length)
    for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at)
    return bytes
  } catch (cause) {
    throw new CheckpointerError('INVALID', 'A piece of a message is not what it can be.', { cause })
  }
}
