import type { Step } from '../delta/op.ts'
import { isJsonObject } from '../json.ts'
import type { Json } from '../json.ts'
import { propsOf, propsShell } from './awkward.ts'
import { Shell, boxShell } from './shell.ts'

/**
 * An error is stored as `['error', fields]`.
 *
 * | field | holds |
 * | --- | --- |
 * | name | its name |
 * | type | the built-in class it is of, where that is not its name |
 * | class | the registered class it is of |
 * | message, stack, cause, errors | as on the error, where it has them |
 * | props | its other enumerable properties |
 */
const FIELDS = ['message', 'stack', 'cause', 'errors'] as const

type ErrorClass = new () => Error

const BUILT_IN: ReadonlyMap<string, ErrorClass> = new Map<string, ErrorClass>([
  ['Error', Error],
  ['TypeError', TypeError],
  ['RangeError', RangeError],
  ['SyntaxError', SyntaxError],
  ['ReferenceError', ReferenceError],
  ['EvalError', EvalError],
  ['URIError', URIError],
  [
    'AggregateError',
    class extends AggregateError {
      constructor() {
        super([])
      }
    },
  ],
])

/** The nearest built-in class. */
function typeOf(error: object): string {
  for (let proto: unknown = Object.getPrototypeOf(error); typeof proto === 'object' && proto !== null;) {
    const name: unknown = Object.getOwnPropertyDescriptor(proto, 'constructor')?.value?.name
    if (typeof name === 'string' && BUILT_IN.has(name)) return name
    proto = Object.getPrototypeOf(proto)
  }
  return 'Error'
}

export function errorShell(error: Error, className: string | undefined): Shell {
  const type = typeOf(error)
  const name: unknown = error.name
  const fields: Record<string, unknown> = { name: typeof name === 'string' ? name : type }
  if (fields['name'] !== type) fields['type'] = type
  if (className !== undefined) fields['class'] = className
  const isDomException =
    !(error instanceof Error) || Object.prototype.toString.call(error) !== '[object Error]'
  for (const field of FIELDS) {
    const has =
      Object.hasOwn(error, field) || (field === 'stack' ? 'stack' in error : isDomException && field in error)
    if (!has) continue
    const value = (error as unknown as Record<string, unknown>)[field]
    if (field !== 'stack' || typeof value === 'string') fields[field] = value
  }
  const props = Object.keys(error).filter((key) => !(FIELDS as readonly string[]).includes(key))
  const read = (key: string): unknown => (error as unknown as Record<string, unknown>)[key]
  if (props.length > 0) fields['props'] = propsShell(props.map((key) => [key, read(key)]))
  return boxShell('error', new Shell(fields))
}

/** The error without what it refers to. Undefined when these are not the fields of one. */
export function makeError(fields: Json | undefined, prototype: object | undefined): Error | undefined {
  if (!isJsonObject(fields)) return undefined
  const at = (key: string): Json | undefined => (Object.hasOwn(fields, key) ? fields[key] : undefined)
  const name = at('name')
  const type = at('type') ?? name
  const Class = typeof type === 'string' ? BUILT_IN.get(type) : undefined
  if (typeof name !== 'string' || Class === undefined) return undefined
  const error = new Class()
  if (type === 'AggregateError') Object.setPrototypeOf(error, AggregateError.prototype)
  if (prototype !== undefined) Object.setPrototypeOf(error, prototype)
  delete error.stack
  delete (error as { errors?: unknown }).errors
  if (error.name !== name) define(error, 'name', name, false)
  return error
}

export function fillError(
  error: Error,
  fields: Json | undefined,
  child: (json: Json, ...steps: Step[]) => unknown,
): void {
  const from = fields as Readonly<Record<string, Json>>
  for (const field of FIELDS) {
    if (Object.hasOwn(from, field)) define(error, field, child(from[field]!, field), false)
  }
  if (!Object.hasOwn(from, 'props')) return
  for (const [key, json, ...steps] of propsOf(from['props']))
    define(error, key, child(json, 'props', ...steps), true)
}

function define(target: object, key: string, value: unknown, enumerable: boolean): void {
  Object.defineProperty(target, key, { value, enumerable, writable: true, configurable: true })
}
