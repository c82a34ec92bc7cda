import type { Ending } from '../../agent/chat.ts'
import type { Piece } from '../../agent/draft.ts'
import { ModelError } from '../model.ts'
import { eventsOf } from './events.ts'
import { GrowingCalls, type CallPart } from './growing-calls.ts'

interface Chunk {
  readonly choices?: readonly Choice[]
  readonly error?: { readonly message?: string }
}

interface Choice {
  readonly delta?: Said | null
  /** In place of a delta where the server does not stream. */
  readonly message?: Said
  readonly finish_reason?: string | null
}

interface Said {
  readonly content?: string | null
  readonly tool_calls?: readonly CallPart[] | null
}

interface Reading {
  /** For what is told to the user. */
  readonly host: string
  readonly signal: AbortSignal
  /** How many messages stand before it. */
  readonly place: number
}

/** Calls whose telling was ended by the model's limit are none: half of one would be done. */
const ENDINGS: Readonly<Record<string, Ending>> = { length: 'length', content_filter: 'filter' }

/** An answer counts as whole when the server has said that it is: a connection may end anywhere. */
export async function* readAnswer(
  response: Response,
  { host, signal, place }: Reading,
): AsyncGenerator<Piece> {
  const calls = new GrowingCalls()
  let reason: string | undefined
  for await (const data of textOf(response, host, signal)) {
    if (data === '[DONE]') {
      reason ??= 'stop'
      break
    }
    const { choices: [choice] = [], error } = parsed(data)
    if (error) throw new ModelError(`${host} has failed: ${error.message ?? 'it does not say why'}`)
    const said = choice?.delta ?? choice?.message
    if (said?.content) yield { text: said.content }
    for (const part of said?.tool_calls ?? []) calls.add(part)
    reason = choice?.finish_reason ?? reason ?? (choice?.message && 'stop')
  }
  if (reason === undefined) throw new ModelError(`${host} has broken off in the middle of its answer.`)
  const endedBy = ENDINGS[reason]
  if (endedBy) yield { endedBy }
  else for (const call of calls.end(place)) yield { call }
}

async function* textOf(response: Response, host: string, signal: AbortSignal): AsyncGenerator<string> {
  try {
    yield* eventsOf(response)
  } catch (cause) {
    signal.throwIfAborted()
    throw new ModelError(`The connection to ${host} was lost in the middle of the answer.`, { cause })
  }
}

function parsed(data: string): Chunk {
  try {
    return JSON.parse(data) as Chunk
  } catch (cause) {
    throw new ModelError('The model has sent something that is no JSON.', { cause })
  }
}
