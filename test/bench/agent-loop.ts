import type { Shape } from './workloads.ts'

/** The agent loop that is measured. Its text never repeats, and is the same for the same step in every run. */
export interface Message {
  readonly id: string
  readonly role: 'assistant' | 'tool'
  content: string
  readonly tokens: number
}

export interface AgentState {
  readonly topic: string
  step: number
  messages: Message[]
}

const MESSAGE_BYTES = 1350
const RESULT_BYTES = 40_000
const SHORT_BYTES = 200
const BIG_BYTES = 10_000_000

const WORDS = (
  'the page shows a list of rows and each row has a price which differs from what was said before so the next ' +
  'step opens the first result then reads its table compares dates checks whether stock is left asks for a quote ' +
  'and writes what it found into notes while 42 1999 3.14 https://example.org/item?id='
).split(' ')
/** English text with its typography; a step in four has some, as a page that was read would. */
const TYPOGRAPHY = ['café', '“quoted”', '—', 'naïve', '…', '€']

export const newState = (): AgentState => ({
  topic: 'compare the offers of five shops',
  step: 0,
  messages: [],
})

/** What a workload begins with: nothing, or a state of 10 MB. */
export function firstState(shape: Shape): AgentState {
  const state = newState()
  if (shape !== 'field') return state
  for (let step = 1; step * 2 * MESSAGE_BYTES <= BIG_BYTES; step++) advance(state, step)
  return { ...state, step: 0 }
}

/** The messages that a step adds. */
export function messagesOf(step: number, shape: Shape = 'chat'): Message[] {
  switch (shape) {
    case 'chat':
      return [message(step, 'assistant', MESSAGE_BYTES), message(step, 'tool', MESSAGE_BYTES)]
    case 'tools':
      return [message(step, 'assistant', SHORT_BYTES), message(step, 'tool', RESULT_BYTES)]
    case 'short':
      return [message(step, 'assistant', SHORT_BYTES)]
    case 'field':
    case 'token':
      return []
  }
}

/** As most agents do it: plain objects, changed in place. */
export function advance(state: AgentState, step: number, added = messagesOf(step)): AgentState {
  state.messages.push(...added)
  state.step = step
  return state
}

/** As Immer does it: a new state, frozen all the way down, that shares what has not changed. */
export function advanceFrozen(state: AgentState, step: number, added = messagesOf(step)): AgentState {
  const frozen = added.map((each) => Object.freeze(each))
  const messages =
    frozen.length === 0 && Object.isFrozen(state.messages)
      ? state.messages
      : (Object.freeze([...state.messages, ...frozen]) as Message[])
  return Object.freeze({ ...state, step, messages })
}

export const freeze = (state: AgentState): AgentState =>
  Object.freeze({
    ...state,
    messages: Object.freeze(state.messages.map((each) => Object.freeze(each))) as Message[],
  })

/** The words of an answer; a space before each but the first. */
export function tokens(count: number): string[] {
  const random = mulberry32(count)
  return Array.from({ length: count }, (_, i) => (i === 0 ? '' : ' ') + word(i, random))
}

export const jsonBytes = (value: unknown): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(JSON.stringify(value))

function message(step: number, role: Message['role'], bytes: number): Message {
  const random = mulberry32(step * 2 + (role === 'tool' ? 1 : 0))
  const id = `msg_${Math.floor(random() * 2 ** 32).toString(36)}_${step}`
  let content = ''
  while (content.length < bytes - 100) content += `${word(step, random)}${Math.floor(random() * 10)} `
  return { id, role, content, tokens: Math.floor(random() * 500) }
}

function word(step: number, random: () => number): string {
  const words = step % 4 === 0 && random() < 0.05 ? TYPOGRAPHY : WORDS
  return words[Math.floor(random() * words.length)] ?? ''
}

/** Random numbers that are the same for the same seed. */
export function mulberry32(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
