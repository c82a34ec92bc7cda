import type { Form } from '../serialised/form.ts'
import type { StoredCheckpoint } from '../stored.ts'

/** The checkpoint that a step has led to, as it is stored. */
export interface Child {
  readonly id: string
  readonly values: StoredCheckpoint['values']
}

type Path = readonly (string | number)[]

/**
 * Stands for a write's value that its checkpoint's child holds in the same channel: all of it, the item at a place, or
 * the items from one place to another; but for what the child has added, as an id for a message that came without one.
 * No form is a list that begins with `undefined`.
 */
type Shared = readonly [none: undefined, child: string, place: readonly number[], added: readonly Path[]]

/** Less is not worth it. */
const LEAST_TEXT = 200
/** How far from its end a list is looked through: what a step adds comes last. */
const LOOKED_THROUGH = 64

export function share(child: Child, channel: string, form: Form): Form {
  const size = sizeOf(form)
  if (size < LEAST_TEXT || !Object.hasOwn(child.values, channel)) return form
  const value = child.values[channel]
  for (const place of placesFor(form, value)) {
    const added = addedTo(form, partOf(value, place))
    const shared: Shared | undefined = added && [undefined, child.id, place, added]
    if (shared && sizeOf(shared) * 2 < size) return shared
  }
  return form
}

export const isShared = (form: Form): form is Shared =>
  Array.isArray(form) && form[0] === undefined && typeof form[1] === 'string'

export const childOf = ([, child]: Shared): string => child

/** The value as it was written. */
export function unshare([, , place, added]: Shared, value: Form): Form {
  const form = structuredClone(partOf(value, place))
  for (const path of added) {
    const parent = path.slice(0, -1).reduce<unknown>((at, name) => ownOf(at, name), form)
    if (isObject(parent)) Reflect.deleteProperty(parent, path.at(-1) as string)
  }
  return form
}

const sizeOf = (form: Form): number => JSON.stringify(form)?.length ?? 0

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

const ownOf = (value: unknown, name: string | number): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

function partOf(value: Form, [from, to]: readonly number[]): Form {
  if (from === undefined || !Array.isArray(value)) return value
  return to === undefined ? value[from] : value.slice(from, to)
}

function* placesFor(form: Form, value: Form): Generator<readonly number[]> {
  yield []
  if (!Array.isArray(value)) return
  const count = Array.isArray(form) ? form.length : 1
  const last = value.length - count
  for (let at = last; at >= 0 && at > last - LOOKED_THROUGH; at--)
    yield Array.isArray(form) ? [at, at + count] : [at]
}

/** The properties that `whole` has and `form` lacks, where all else is the same, and in the same order. */
function addedTo(form: unknown, whole: unknown, path: Path = []): readonly Path[] | undefined {
  if (form === whole) return []
  if (!isObject(form) || !isObject(whole) || Array.isArray(form) !== Array.isArray(whole)) return undefined
  if (Array.isArray(form) && form.length !== whole['length']) return undefined
  const names = Object.keys(form)
  const added: Path[] = []
  let next = 0
  for (const name of Object.keys(whole)) {
    if (name !== names[next]) {
      added.push([...path, name])
      continue
    }
    next++
    const inner = addedTo(form[name], whole[name], [...path, name])
    if (!inner) return undefined
    added.push(...inner)
  }
  return next === names.length ? added : undefined
}
