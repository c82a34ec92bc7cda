import type { SerializerProtocol } from '@langchain/langgraph-checkpoint'
import { formOf, isOther, JSON_TYPE, jsonIn, textOf, toForm, type Form } from './form.ts'
import { inPieces } from './pieces.ts'
import type { ChannelForm } from '../stored.ts'

/** What a channel was; and, if it was asked for whole, the bytes, a character each: so they are compared fastest. */
export interface Last {
  readonly form: Form
  readonly bytes?: string
}

const MOST_PLACES = 16

/**
 * What the channels were last, of the places that were put into last: so LangGraph's own serialiser is asked only for what
 * is not the same any more. Another is asked for all, and of a list that has grown only what is new is read.
 */
export class Lasts {
  readonly #places = new Map<string, Map<string, Last>>()
  #own: SerializerProtocol | undefined

  constructor(own: SerializerProtocol | undefined) {
    this.#own = own
  }

  /** Gives the forms of the channels of a place. It asks the serialiser before it returns. */
  of(place: string, serde: SerializerProtocol): ChannelForm {
    // Another was put in its place, or into it.
    if (serde !== this.#own || Object.keys(serde).length > 0) this.#own = undefined
    const isOwn = this.#own !== undefined
    const channels = this.#places.get(place) ?? new Map<string, Last>()
    this.#places.delete(place)
    this.#places.set(place, channels)
    if (this.#places.size > MOST_PLACES) this.#places.delete(this.#places.keys().next().value as string)
    return async (channel, value) => {
      const last = channels.get(channel)
      const ask = (items: readonly unknown[]) => toForm(serde, items)
      const pieces = isOwn && last ? inPieces(value, last.form, ask) : undefined
      const now = (pieces && (await pieces)) ?? (await toLast(serde, value, last))
      if (isOther(now.form)) channels.delete(channel)
      else channels.set(channel, now)
      return now.form
    }
  }
}

async function toLast(serde: SerializerProtocol, value: unknown, last?: Last): Promise<Last> {
  const [type, bytes] = await serde.dumpsTyped(value)
  if (type !== JSON_TYPE) return { form: formOf(type, bytes) }
  const all = textOf(bytes, 'latin1')
  const hasGrown = last?.bytes !== undefined && all.startsWith(`${last.bytes.slice(0, -1)},`)
  const more = hasGrown && jsonIn(`[${textOf(bytes.subarray(last.bytes.length))}`)
  const form = more && Array.isArray(last.form) ? last.form.concat(more) : formOf(type, bytes)
  return Array.isArray(form) ? { form, bytes: all } : { form }
}
