import { count, counted } from '../text/units.ts'

type Tone = 'text' | 'number' | 'word' | 'special' | 'container'

/** One thing in a container: under a key of an object, an index, or a key of a map. */
export interface Part {
  readonly name: string
  /** Whether the name is one of the value's own, rather than a place in it. */
  readonly isKey: boolean
  readonly value: unknown
}

/** What a value is, and what is in it; parts are looked up as they are asked for. */
export interface Shape {
  readonly tone: Tone
  /** In one line, without what is in it. */
  readonly title: string
  readonly size: number
  readonly part: (index: number) => Part
}

/** An entry of a map whose key is itself a thing to look into. */
class Entry {
  readonly key: unknown
  readonly value: unknown

  constructor(key: unknown, value: unknown) {
    this.key = key
    this.value = value
  }
}

/** A part of a value that cannot be read: an accessor of a class has thrown. */
class Unreadable {
  readonly why: string

  constructor(why: string) {
    this.why = why
  }
}

export function shapeOf(value: unknown): Shape {
  if (typeof value === 'string') return leaf('text', value)
  if (typeof value === 'bigint') return leaf('number', `${value}n`)
  if (typeof value === 'number') return leaf('number', Object.is(value, -0) ? '-0' : String(value))
  if (typeof value === 'object' && value !== null) return ofObject(value)
  return leaf('word', String(value))
}

function ofObject(value: object): Shape {
  if (Array.isArray(value)) return ofArray(value)
  if (value instanceof Date)
    return leaf('special', Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString())
  if (value instanceof RegExp || value instanceof URL) return leaf('special', String(value))
  if (value instanceof Map) return ofMap(value)
  if (value instanceof Set) return ofSet(value)
  if (ArrayBuffer.isView(value)) return ofView(value)
  if (value instanceof ArrayBuffer) return ofBytes('ArrayBuffer', new Uint8Array(value))
  if (value instanceof Error) return ofError(value)
  if (value instanceof Unreadable) return leaf('special', `cannot be read: ${value.why}`)
  const keys = Object.keys(value)
  const name = value instanceof Entry ? '' : className(value)
  const title = `${name === '' ? '' : `${name} `}{${keys.length === 0 ? '' : counted(keys.length, 'key')}}`
  return { tone: 'container', title, size: keys.length, part: (i) => keyed(value, keys[i] ?? '') }
}

function ofArray(value: readonly unknown[]): Shape {
  const part = (index: number): Part => ({ name: String(index), isKey: false, value: read(value, index) })
  return { tone: 'container', title: `[${counted(value.length, 'item')}]`, size: value.length, part }
}

function ofMap(value: ReadonlyMap<unknown, unknown>): Shape {
  const entries = [...value]
  const part = (index: number): Part => {
    const [key, held] = entries[index] ?? []
    if (typeof key === 'object' && key !== null)
      return { name: String(index), isKey: false, value: new Entry(key, held) }
    return { name: shapeOf(key).title, isKey: true, value: held }
  }
  return {
    tone: 'container',
    title: `Map {${counted(entries.length, 'entry', 'entries')}}`,
    size: entries.length,
    part,
  }
}

function ofSet(value: ReadonlySet<unknown>): Shape {
  const items = [...value]
  const part = (index: number): Part => ({ name: String(index), isKey: false, value: items[index] })
  return { tone: 'container', title: `Set {${counted(items.length, 'item')}}`, size: items.length, part }
}

/** Numbers as they stand in it; of a DataView, its bytes. */
function ofView(view: ArrayBufferView): Shape {
  const kind = Object.prototype.toString.call(view).slice(8, -1)
  if (view instanceof DataView || !('length' in view))
    return ofBytes(kind, new Uint8Array(view.buffer, view.byteOffset, view.byteLength))
  return ofBytes(kind, view as unknown as ArrayLike<number | bigint>)
}

const PREVIEW = 12

function ofBytes(kind: string, numbers: ArrayLike<number | bigint>): Shape {
  const first = Array.from({ length: Math.min(numbers.length, PREVIEW) }, (_, i) => String(numbers[i]))
  const more = numbers.length > PREVIEW ? ' …' : ''
  const title = `${kind}(${count(numbers.length)}) ${first.join(' ')}${more}`
  const part = (index: number): Part => ({ name: String(index), isKey: false, value: numbers[index] })
  return { tone: 'special', title, size: numbers.length, part }
}

function ofError(error: Error): Shape {
  const keys = [...new Set(['name', 'message', 'stack', 'cause', ...Object.keys(error)])].filter(
    (key) => key in error,
  )
  const title = `${text(keyed(error, 'name'))}: ${text(keyed(error, 'message'))}`
  return { tone: 'special', title, size: keys.length, part: (i) => keyed(error, keys[i] ?? '') }
}

const text = ({ value }: Part): string => (typeof value === 'string' ? value : '')

function className(value: object): string {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === null) return 'null-prototype'
  if (prototype === Object.prototype) return ''
  const maker = read(Object(prototype), 'constructor')
  return typeof maker === 'function' ? maker.name : 'object'
}

const keyed = (value: object, key: string): Part => ({ name: key, isKey: true, value: read(value, key) })

const leaf = (tone: Tone, title: string): Shape => ({ tone, title, size: 0, part: () => NOTHING })
const NOTHING: Part = { name: '', isKey: false, value: undefined }

/** A class of the app's may have accessors that throw. */
function read(value: object, key: string | number): unknown {
  try {
    return Reflect.get(value, key)
  } catch (error) {
    return new Unreadable(String(error))
  }
}
