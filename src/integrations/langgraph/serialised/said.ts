import * as core from '@langchain/core/messages'
import { isAlike, isObject, isPlain, type Fields } from './alike.ts'
import type { Form } from './form.ts'

/** A message as its `toJSON` reads it. */
type Message = Fields & { readonly lc_kwargs: Fields; readonly toJSON: () => unknown }

/** What a message was read as when this was said of it. */
interface Seen {
  readonly form: Form
  readonly read: unknown
}

const seen = new WeakMap<object, Seen>()

/**
 * Whether LangGraph's serialiser would say this of the value, wherever in a list it stands. Never of what only the
 * serialiser can see through, as a `toJSON` of somebody's own.
 */
export function isSaid(value: unknown, form: Form): boolean {
  if (value === undefined) return isAlike(UNDEFINED, form, isSaid)
  if (!isObject(value)) return value === form
  if (isMessage(value)) return isMessageSaid(value, form)
  if (isDate(value)) return value.toJSON() === form
  return isRead(value) && isAlike(value, form, isSaid)
}

/** Whether the serialiser says the same of the value wherever it stands: so nothing in it leads out of it, or in a ring. */
export function standsAlone(value: unknown): boolean {
  try {
    copyOf(value)
    return true
  } catch {
    return false
  }
}

/** To look at a message takes a fraction of what its `toJSON` does. */
function isMessageSaid(message: Message, form: Form): boolean {
  const last = seen.get(message)
  const read = readBy(message)
  if (last && last.form === form && isStill(read, last.read)) return true
  if (!isSaid(message.toJSON(), form)) return false
  if (standsAlone(read)) seen.set(message, { form, read: copyOf(read) })
  return true
}

const isStill = (value: unknown, copy: unknown): boolean =>
  Object.is(value, copy) || (isObject(value) && isPlain(value) && isAlike(value, copy, isStill))

/** All that the `toJSON` of the core's messages goes by. */
function readBy(message: Message): unknown {
  const { lc_serializable, lc_id, lc_kwargs } = message
  const read: Record<string, unknown> = {}
  for (const name of Object.keys(lc_kwargs)) read[name] = name in message ? message[name] : lc_kwargs[name]
  return [lc_serializable, lc_id, read]
}

/** Throws for what cannot be seen through. What is of a class is nowhere the same as its copy. */
function copyOf(value: unknown, around: readonly unknown[] = []): unknown {
  if (!isObject(value)) {
    if (UNSAID.has(typeof value)) throw OPAQUE
    return value
  }
  if (isDate(value)) return OPAQUE
  const inner = [...around, value]
  if (around.includes(value)) throw OPAQUE
  if (isMessage(value)) {
    // The serialiser looks for rings in all of its fields.
    copyOf([readBy(value), Object.values(value)], inner)
    return OPAQUE
  }
  if (!isRead(value)) throw OPAQUE
  const copy = Array.isArray(value)
    ? Array.from(value, (item) => copyOf(item, inner))
    : Object.fromEntries(Object.keys(value).map((name) => [name, copyOf(value[name], inner)]))
  return isPlain(value) ? copy : OPAQUE
}

const isDate = (value: object): value is Date =>
  value instanceof Date && value.toJSON === Date.prototype.toJSON

/** The core's own: a class that was made of one may read what is not seen here. */
function isMessage(value: Fields): value is Message {
  if (!MESSAGES.has(Object.getPrototypeOf(value))) return false
  const { toJSON, lc_kwargs } = value
  return (
    toJSON === core.BaseMessage.prototype.toJSON &&
    isObject(lc_kwargs) &&
    isPlain(lc_kwargs) &&
    !Array.isArray(lc_kwargs)
  )
}

/** Whether the serialiser reads no more of it than its items, or what it holds under its names. */
function isRead(value: Fields): boolean {
  if (value['toJSON'] !== undefined || value['lg_name'] !== undefined) return false
  if (isPlain(value) || Array.isArray(value)) return true
  const isOfClass = Object.prototype.toString.call(value) === '[object Object]'
  return isOfClass && !SPECIAL.some((each) => value instanceof each)
}

const OPAQUE = Symbol('opaque')
const UNDEFINED = { lc: 2, type: 'undefined' }
const UNSAID = new Set(['bigint', 'function', 'symbol'])
const SPECIAL = [Map, Set, RegExp, Error, Uint8Array]
const MESSAGES = new Set<unknown>(
  Object.values(core).map((each) => (typeof each === 'function' ? each.prototype : undefined)),
)
