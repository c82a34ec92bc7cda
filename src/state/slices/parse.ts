import { MAX_DEPTH, setOwn, type Json } from '../json.ts'
import { fromBytes } from '../json-bytes.ts'
import type { Pause } from './pause.ts'
import { parseText } from './parse-text.ts'
import { BACKSLASH, noJson, parsePiece, QUOTE, SLICE } from './piece.ts'

/** How many bytes are looked at between two questions for a pause … */
const STRIDE = 64 * 1024
/** … and how many of a text, of which only the end is looked for: first near by, as it mostly is there. */
const TEXT_STRIDE = 1024 * 1024
const NEAR = 64

/** In so many containers within one another the children are looked for: what is large in all of them is gone through as often. */
const MOST_LEVELS = 16
/** A state that is nested as deep as it may be has less: a box takes a few brackets. */
const MOST_BRACKETS = 16 * MAX_DEPTH

const COMMA = 0x2c
const COLON = 0x3a
const OPENING = new Set([0x5b, 0x7b])
const CLOSING = new Set([0x5d, 0x7d])
const BRACKETS: Readonly<Record<number, readonly [close: number, open: string, close: string]>> = {
  0x5b: [0x5d, '[', ']'],
  0x7b: [0x7d, '{', '}'],
}

/** What `fromBytes` gives, made a slice at a time: the children of a large container are parsed by themselves. */
export const parseInSlices = (bytes: Uint8Array, pause: Pause): Promise<Json> => parseAt(0, bytes, pause)

async function parseAt(level: number, bytes: Uint8Array, pause: Pause): Promise<Json> {
  if (bytes.length <= SLICE) return fromBytes(bytes)
  if (bytes[0] === QUOTE) return parseText(bytes, pause)
  const kind = BRACKETS[bytes[0] ?? 0]
  // A number, or no JSON, which the engine will say.
  if (!kind || level === MOST_LEVELS) return fromBytes(bytes)
  if (bytes[bytes.length - 1] !== kind[0]) throw noJson()
  const whole = new Whole(level, bytes, kind)
  const children = await childrenOf(bytes, pause)
  let from = 0
  for (let i = 0; i < children.length; i++) {
    const due = pause()
    if (due) await due
    const [start, end] = children[i] as Child
    if (end - start > SLICE) {
      whole.take(children.slice(from, i))
      await whole.takeLarge(children[i] as Child, pause)
      from = i + 1
    } else if (end - (children[from] as Child)[0] > SLICE) {
      whole.take(children.slice(from, i))
      from = i
    }
  }
  whole.take(children.slice(from))
  return whole.value
}

/** Where an item, or a key with its value, begins and ends; and where its colon is. */
type Child = readonly [start: number, end: number, colon: number]

class Whole {
  readonly #level: number
  readonly #bytes: Uint8Array
  readonly #open: string
  readonly #close: string
  readonly #list: Json[] = []
  readonly #object: Record<string, Json> = {}

  constructor(level: number, bytes: Uint8Array, [, open, close]: (typeof BRACKETS)[number]) {
    this.#level = level
    this.#bytes = bytes
    this.#open = open
    this.#close = close
  }

  get value(): Json {
    return this.#open === '[' ? this.#list : this.#object
  }

  /** Neighbours, parsed at once. */
  take(children: readonly Child[]): void {
    const [first, last] = [children[0], children.at(-1)]
    if (!first || !last) return
    const text = this.#bytes.subarray(first[0], last[1])
    const parsed = parsePiece(this.#open, text, this.#close)
    // A comma too many is lost with the brackets that were put around.
    const isAll = Array.isArray(parsed)
      ? parsed.length === children.length
      : children.every(([, , at]) => at >= 0)
    if (!isAll) throw noJson()
    if (Array.isArray(parsed)) for (const item of parsed as Json[]) this.#list.push(item)
    else
      for (const [key, value] of Object.entries(parsed as Record<string, Json>))
        setOwn(this.#object, key, value)
  }

  async takeLarge([start, end, colon]: Child, pause: Pause): Promise<void> {
    if (this.#open === '[') {
      this.#list.push(await this.#inner(start, end, pause))
      return
    }
    const key = colon < 0 ? null : fromBytes(this.#bytes.subarray(start, colon))
    if (typeof key !== 'string') throw noJson()
    setOwn(this.#object, key, await this.#inner(colon + 1, end, pause))
  }

  #inner(start: number, end: number, pause: Pause): Promise<Json> {
    return parseAt(this.#level + 1, this.#bytes.subarray(start, end), pause)
  }
}

/** The children of the container that the bytes are, found by their brackets, commas and quotes alone. */
async function childrenOf(bytes: Uint8Array, pause: Pause): Promise<Child[]> {
  const children: Child[] = []
  const last = bytes.length - 1
  let depth = 0
  let start = 1
  let colon = -1
  let inText = false
  for (let at = 1, asked = 0; at < last; at++) {
    if (at - asked > STRIDE) {
      asked = at
      const due = pause()
      if (due) await due
    }
    if (inText) {
      const near = Math.min(at + NEAR, last)
      while (at < near && bytes[at] !== QUOTE) at++
      if (bytes[at] !== QUOTE) {
        const end = bytes.subarray(at, at + TEXT_STRIDE).indexOf(QUOTE)
        at += end < 0 ? TEXT_STRIDE - 1 : end
      }
      inText = bytes[at] !== QUOTE || isEscaped(bytes, at)
      continue
    }
    const byte = bytes[at] as number
    if (byte === QUOTE) inText = true
    else if (OPENING.has(byte)) depth++
    else if (CLOSING.has(byte)) depth--
    else if (depth > 0) continue
    else if (byte === COLON) colon = at
    else if (byte === COMMA) {
      children.push([start, at, colon])
      start = at + 1
      colon = -1
    }
    if (depth < 0 || depth > MOST_BRACKETS) throw noJson()
  }
  if (depth !== 0 || inText) throw noJson()
  children.push([start, last, colon])
  return children
}

function isEscaped(bytes: Uint8Array, at: number): boolean {
  let escapes = 0
  while (bytes[at - 1 - escapes] === BACKSLASH) escapes++
  return escapes % 2 === 1
}
