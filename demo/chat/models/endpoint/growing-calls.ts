import type { Call } from '../../agent/chat.ts'

/** A part of a call, as it is streamed. */
export interface CallPart {
  readonly index?: number
  readonly id?: string | null
  readonly function?: { readonly name?: string | null; readonly arguments?: string | null }
}

/** Calls that are being told, a piece at a time. */
export class GrowingCalls {
  readonly #growing: { id: string; name: string; input: string }[] = []

  add({ index = this.#growing.length, id, function: part }: CallPart): void {
    const one = (this.#growing[index] ??= { id: '', name: '', input: '' })
    one.id ||= id ?? ''
    one.name += part?.name ?? ''
    one.input += part?.arguments ?? ''
  }

  /** `place` tells this answer from others: some servers give no ids, empty ones, or the same to all. */
  end(place: number): readonly Call[] {
    const taken = new Set<string>()
    return Object.values(this.#growing).map(({ id: given, name, input }, i) => {
      const id = given === '' || taken.has(given) ? `call-${place}-${i}` : given
      taken.add(id)
      return { id, tool: name, input: inputOf(input) }
    })
  }
}

function inputOf(text: string): Call['input'] {
  try {
    const input: unknown = JSON.parse(text || '{}')
    if (typeof input === 'object' && input !== null) return { ...input }
  } catch {
    // The tool will say what is missing, and the model may try again.
  }
  return { malformed: text }
}
