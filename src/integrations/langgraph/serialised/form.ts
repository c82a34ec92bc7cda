import type { SerializerProtocol } from '@langchain/langgraph-checkpoint'

/**
 * A value as the serialiser gave it: the JSON that it said, so that of a list which has grown only the new items are
 * written; or, for all else, `[type, bytes]`, which is no JSON.
 */
export type Form = unknown

/** Asks the serialiser before this returns: the caller may change the value right after. */
export async function toForm(serde: SerializerProtocol, value: unknown): Promise<Form> {
  return formOf(...(await serde.dumpsTyped(value)))
}

export async function fromForm(serde: SerializerProtocol, form: Form): Promise<unknown> {
  if (isOther(form)) return serde.loadsTyped(...form)
  return serde.loadsTyped(JSON_TYPE, new TextEncoder().encode(JSON.stringify(form)))
}

export function formOf(type: string, bytes: Uint8Array): Form {
  const form = type === JSON_TYPE ? jsonIn(textOf(bytes)) : undefined
  return form === undefined ? [type, new Uint8Array(bytes)] : form
}

export const JSON_TYPE = 'json'

export const isOther = (form: Form): form is [type: string, bytes: Uint8Array] =>
  Array.isArray(form) && form[1] instanceof Uint8Array

export const textOf = (bytes: Uint8Array, encoding?: string): string =>
  new TextDecoder(encoding).decode(bytes)

/** What a JSON text says, if the same text can be made of it again: a serialiser of the caller's may write its own. */
export function jsonIn(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(value) === text ? value : undefined
  } catch {
    // Not JSON after all: then it is kept as it came.
    return undefined
  }
}
