import { shapeOf } from '../values/shape.ts'

/** Stands in the text for a value that JSON cannot say, or that is too long to be edited. It may be moved or taken out. */
const KEPT = '$kept'
/** Texts longer than this are kept as they are. */
const LONG_TEXT = 20_000

/** More than this is no text to be edited by hand. */
const MOST = 1_000_000

/** A state as JSON to be edited, and the way back. */
export class EditableJson {
  /** Absent when it is too much to be edited. */
  readonly text: string | undefined
  readonly #kept: unknown[] = []
  readonly #isRound: boolean

  constructor(state: unknown) {
    let room = MOST
    const above = new Set<object>()
    const keep = (value: unknown): unknown => {
      this.#kept.push(value)
      return { [KEPT]: this.#kept.length, is: describe(value) }
    }
    const toJson = (value: unknown): unknown => {
      room -= typeof value === 'string' ? value.length : 8
      if (typeof value === 'string')
        return value.length > LONG_TEXT ? ((room += value.length), keep(value)) : value
      if (isPlainLeaf(value)) return value
      if (!isContainer(value) || above.has(value) || Object.hasOwn(value, KEPT) || isSparse(value))
        return keep(value)
      if (room < 0) return null
      above.add(value)
      const json = Array.isArray(value) ? value.map(toJson) : mapped(value, toJson)
      above.delete(value)
      return json
    }
    const json = toJson(state)
    this.text = room < 0 ? undefined : JSON.stringify(json, null, 2)
    this.#isRound = this.#kept.length > 0
  }

  /** What the text says; throws what is wrong with it. */
  read(text: string): unknown {
    const json: unknown = JSON.parse(text)
    return this.#isRound ? this.#restored(json) : json
  }

  #restored(json: unknown): unknown {
    if (Array.isArray(json)) return json.map((item) => this.#restored(item))
    if (!isContainer(json)) return json
    if (!Object.hasOwn(json, KEPT)) return mapped(json, (value) => this.#restored(value))
    const place: unknown = Reflect.get(json, KEPT)
    if (typeof place !== 'number' || !(place - 1 in this.#kept))
      throw new SyntaxError(
        `There is no kept value ${JSON.stringify(place)}: "${KEPT}" names values that JSON cannot say.`,
      )
    return this.#kept[place - 1]
  }
}

const isPlainLeaf = (value: unknown): boolean =>
  value === null ||
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value) && !Object.is(value, -0))

function isContainer(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype
}

const isSparse = (value: object): boolean =>
  Array.isArray(value) && Object.keys(value).length !== value.length

/** With every key as an own one, whatever its name. */
function mapped(value: object, map: (value: unknown) => unknown): object {
  const copy = {}
  for (const [key, held] of Object.entries(value))
    Object.defineProperty(copy, key, {
      value: map(held),
      enumerable: true,
      configurable: true,
      writable: true,
    })
  return copy
}

const describe = (value: unknown): string =>
  typeof value === 'string'
    ? `text of ${value.length} characters: ${value.slice(0, 60)}…`
    : shapeOf(value).title
