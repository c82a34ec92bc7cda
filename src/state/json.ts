/** Plain JSON: what an encoded state is made of, whatever the caller's values were. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

/** Containers may nest this deep, in the caller's state and in stored rows; deeper is refused. */
export const MAX_DEPTH = 1000

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Sets a property whatever its name: plain assignment to `__proto__` would change the prototype instead. */
export function setOwn<T>(target: Record<string, T>, key: string, value: T): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
  } else {
    target[key] = value
  }
}

/** A readable name for a place inside a state: `$.messages[3]["a.b"]`. */
export function pathText(path: readonly (string | number)[]): string {
  let text = '$'
  for (const step of path.length > 40 ? [...path.slice(0, 20), '…', ...path.slice(-19)] : path) {
    if (typeof step === 'number') text += `[${step}]`
    else if (/^[A-Za-z_$…][\w$]*$/.test(step)) text += `.${step}`
    else text += `[${JSON.stringify(step.length > 60 ? step.slice(0, 60) + '…' : step)}]`
  }
  return text
}

/** Whether two values hold the same, in whatever order their keys stand. */
export function equalJson(a: Json, b: Json): boolean {
  if (a === b) return true
  if (Array.isArray(a) && Array.isArray(b)) {
    const [left, right] = [a as readonly Json[], b as readonly Json[]]
    return left.length === right.length && left.every((item, i) => equalJson(item, right[i] as Json))
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && equalJson(a[name] as Json, b[name] as Json))
  )
}
