import type { SerializerProtocol } from '@langchain/langgraph-checkpoint'

/**
 * A value as the serialiser gave it: the JSON that it said, so that of a list which has grown only the new items are
 * written; or, for all else, `[type, bytes]`, which is no JSON.
 */
export type Form = unknown

/** What a list was, and the bytes that said so, a character each: so they are compared fastest. */
interface Last {
  readonly bytes: string
  readonly form: readonly unknown[]
}

/** What lists were last, by whose they are: of one that has only grown, what it was need not be read again. */
export type Lasts = Map<string, Last>

const MOST_LASTS = 16

/**
 * Asks the serialiser before this returns: the caller may change the value right after. Of a list that has grown, what it
 * was stays, and only what has come behind it is read.
 */
export async function toForm(
  serde: SerializerProtocol,
  value: unknown,
  lasts?: Lasts,
  key = '',
): Promise<Form> {
  const [type, bytes] = await serde.dumpsTyped(value)
  let form: Form
  if (type === JSON_TYPE) {
    const all = textOf(bytes, 'latin1')
    const last = lasts?.get(key)
    const hasGrown = last && all.startsWith(`${last.bytes.slice(0, -1)},`)
    const more = hasGrown && jsonIn(`[${textOf(bytes.subarray(last.bytes.length))}`)
    form = more ? last.form.concat(more) : jsonIn(textOf(bytes))
    if (lasts && Array.isArray(form)) {
      if (lasts.size >= MOST_LASTS) lasts.clear()
      lasts.set(key, { bytes: all, form })
    }
  }
  return form === undefined ? [type, new Uint8Array(bytes)] : form
}

export async function fromForm(serde: SerializerProtocol, form: Form): Promise<unknown> {
  if (isOther(form)) return serde.loadsTyped(...form)
  return serde.loadsTyped(JSON_TYPE, new TextEncoder().encode(JSON.stringify(form)))
}

const JSON_TYPE = 'json'

const isOther = (form: Form): form is [type: string, bytes: Uint8Array] =>
  Array.isArray(form) && form[1] instanceof Uint8Array

const textOf = (bytes: Uint8Array, encoding?: string): string => new TextDecoder(encoding).decode(bytes)

/** What a JSON text says, if the same text can be made of it again: a serialiser of the caller's may write its own. */
function jsonIn(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(value) === text ? value : undefined
  } catch {
    // Not JSON after all: then it is kept as it came.
    return undefined
  }
}
