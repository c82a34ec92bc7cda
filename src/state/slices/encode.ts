import { escapeBeyondAscii, isWorthEscaping } from '../json-bytes.ts'
import type { Json } from '../json.ts'
import type { Pause } from './pause.ts'
import { joinInSlices } from './join.ts'

/** Characters of JSON, or of what becomes JSON, that are worked on at once. */
const SLICE = 128 * 1024

const encoder = new TextEncoder()

/** What `toBytes` gives, made a slice at a time. */
export async function toBytesInSlices(value: Json, pause: Pause): Promise<Uint8Array<ArrayBuffer>> {
  const texts: string[] = []
  for (const text of textsOf(value)) {
    texts.push(text)
    const due = pause()
    if (due) await due
  }
  const whole = await encoded(texts, pause)
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  if (!isWorthEscaping(whole.length - length, length)) return whole
  return encoded(texts, pause, escapeBeyondAscii)
}

async function encoded(
  texts: readonly string[],
  pause: Pause,
  change = (text: string): string => text,
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = []
  for (const text of texts) {
    pieces.push(encoder.encode(change(text)))
    const due = pause()
    if (due) await due
  }
  return joinInSlices(pieces, pause)
}

/** The JSON of a value in pieces, none of them much longer than a slice. */
function* textsOf(value: Json): Generator<string> {
  if (weightUpTo(value, SLICE) <= SLICE) yield JSON.stringify(value)
  else if (typeof value === 'string') yield* textsOfText(value)
  else yield* textsOfContainer(value as readonly Json[] | Readonly<Record<string, Json>>)
}

function* textsOfContainer(value: readonly Json[] | Readonly<Record<string, Json>>): Generator<string> {
  const entries = Array.isArray(value) ? undefined : Object.keys(value)
  const children = value as Readonly<Record<string | number, Json>>
  const count = entries ? entries.length : (value as readonly Json[]).length
  let text = entries ? '{' : '['
  for (let i = 0; i < count; i++) {
    const key = entries?.[i]
    if (i > 0) text += ','
    if (key !== undefined) text += `${JSON.stringify(key)}:`
    for (const piece of textsOf(children[key ?? i] as Json)) {
      text += piece
      if (text.length <= SLICE) continue
      yield text
      text = ''
    }
  }
  yield text + (entries ? '}' : ']')
}

function* textsOfText(value: string): Generator<string> {
  yield '"'
  for (let at = 0; at < value.length;) {
    let end = at + SLICE
    // Half a character by itself would be escaped.
    if (isHighSurrogate(value.charCodeAt(end - 1))) end++
    yield JSON.stringify(value.slice(at, end)).slice(1, -1)
    at = end
  }
  yield '"'
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

/** About how long its JSON is; no more is counted than asked for, by far. */
function weightUpTo(value: Json, most: number): number {
  if (typeof value === 'string') return value.length
  let weight = 2
  if (typeof value !== 'object' || value === null) return weight
  const children = value as Readonly<Record<string | number, Json>>
  if (Array.isArray(value))
    for (let i = 0; i < value.length && weight <= most; i++)
      weight += weightUpTo(children[i] as Json, most - weight)
  else
    for (const key in children) {
      if (weight > most) break
      weight += key.length + weightUpTo(children[key] as Json, most - weight)
    }
  return weight
}
