import type { Step } from '../delta/op.ts'
import { isJsonObject, setOwn } from '../json.ts'
import type { Json } from '../json.ts'
import { entriesOf, propsOf } from './awkward.ts'
import { fillError, makeError } from './error.ts'
import { Unregistered } from './type-table.ts'
import type { TypeTable } from './type-table.ts'

type Payload = readonly Json[]
/** Decodes a value that stands at these steps inside the payload. */
type Child = (json: Json, ...steps: readonly Step[]) => unknown

/** How a boxed container comes back: empty first, so that a circle can refer to it before it is filled. */
export interface Container {
  make(payload: Payload, types: TypeTable): object
  fill(target: object, payload: Payload, child: Child): void
}

/** The two functions of a kind agree on what `make` makes; nobody else has to know. */
const container = <T extends object>(
  make: (payload: Payload, types: TypeTable) => T,
  fill: (target: T, payload: Payload, child: Child) => void,
): Container => ({ make, fill: (target, payload, child) => fill(target as T, payload, child) })

const fail = (what: string): never => {
  throw new Error(`not ${what}`)
}

const sized = (payload: Payload, length: number): Payload =>
  payload.length === length ? payload : fail('a payload of its kind')

function fillObject(target: Record<string, unknown>, payload: Payload, child: Child): void {
  for (const [key, value, i] of entriesOf(sized(payload, 2)[1])) {
    if (typeof key !== 'string') fail('a key')
    else setOwn(target, key, child(value, 1, i, 1))
  }
}

function makeSparse(payload: Payload): unknown[] {
  const length = sized(payload, 3)[1]
  if (typeof length !== 'number' || !Number.isInteger(length) || length < 0 || length > 2 ** 32 - 1)
    fail('a length')
  const array: unknown[] = []
  if (length === 0) return array
  // An element far out makes engines keep holes for nothing; setting `length` alone would allocate them.
  array[(length as number) - 1] = null
  Reflect.deleteProperty(array, (length as number) - 1)
  return array
}

function fillSparse(target: unknown[], payload: Payload, child: Child): void {
  let last = -1
  for (const [index, value, i] of entriesOf(payload[2])) {
    if (typeof index !== 'number' || !Number.isInteger(index) || index <= last || index >= target.length)
      fail('an index')
    last = index as number
    target[last] = child(value, 2, i, 1)
  }
}

function classOf(name: Json | undefined, types: TypeTable): object {
  if (typeof name !== 'string') return fail('the name of a class')
  const prototype = types.classPrototype(name)
  if (prototype === undefined) throw new Unregistered(name)
  return prototype
}

function fillClass(target: object, payload: Payload, child: Child): void {
  for (const [key, json, ...steps] of propsOf(sized(payload, 3)[2])) {
    const value = child(json, 2, ...steps)
    // Defined, not assigned: a setter of the class must not run.
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
  }
}

function makeErrorOf(payload: Payload, types: TypeTable): Error {
  const fields = sized(payload, 2)[1]
  const named =
    isJsonObject(fields) && Object.hasOwn(fields, 'class') ? classOf(fields['class'], types) : undefined
  return makeError(fields, named) ?? fail('an error')
}

export const CONTAINERS: ReadonlyMap<string, Container> = new Map([
  ['object', container<Record<string, unknown>>(() => ({}), fillObject)],
  [
    'null-object',
    container<Record<string, unknown>>(() => Object.create(null) as Record<string, unknown>, fillObject),
  ],
  [
    'map',
    container(
      () => new Map<unknown, unknown>(),
      (target, payload, child) => {
        for (const [key, value, i] of entriesOf(sized(payload, 2)[1])) {
          target.set(child(key, 1, i, 0), child(value, 1, i, 1))
        }
      },
    ),
  ],
  [
    'set',
    container(
      () => new Set<unknown>(),
      (target, payload, child) => {
        const list = sized(payload, 2)[1]
        if (!Array.isArray(list)) return fail('a list')
        list.forEach((item: Json, i) => target.add(child(item, 1, i)))
      },
    ),
  ],
  ['sparse', container(makeSparse, fillSparse)],
  ['class', container((payload, types) => Object.create(classOf(payload[1], types)) as object, fillClass)],
  [
    'error',
    container(makeErrorOf, (target, payload, child) =>
      fillError(target, payload[1], (json, ...steps) => child(json, 1, ...steps)),
    ),
  ],
])
