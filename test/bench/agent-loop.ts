/** The agent loop that is measured: each step adds two messages of about 1.35 KB of text that never repeats. */
interface Message {
  readonly id: string
  readonly role: 'assistant' | 'tool'
  readonly content: string
  readonly tokens: number
}

export interface AgentState {
  readonly topic: string
  step: number
  messages: Message[]
}

const MESSAGE_BYTES = 1350

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

/** What step `step` adds; the same for the same step, so that every run does the same work. */
function messagesOf(step: number): [Message, Message] {
  return [message(step, 'assistant'), message(step, 'tool')]
}

/** As most agents do it: plain objects, changed in place. */
export function advance(state: AgentState, step: number): AgentState {
  state.messages.push(...messagesOf(step))
  state.step = step
  return state
}

/** As Immer does it: a new state, frozen all the way down, that shares what has not changed. */
export function advanceFrozen(state: AgentState, step: number): AgentState {
  const added = messagesOf(step).map((each) => Object.freeze(each))
  const messages = Object.freeze([...state.messages, ...added]) as Message[]
  return Object.freeze({ ...state, step, messages })
}

export const jsonBytes = (value: unknown): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(JSON.stringify(value))

function message(step: number, role: Message['role']): Message {
  const random = mulberry32(step * 2 + (role === 'tool' ? 1 : 0))
  const id = `msg_${Math.floor(random() * 2 ** 32).toString(36)}_${step}`
  let content = ''
  while (content.length < MESSAGE_BYTES - 100) {
    const words = step % 4 === 0 && random() < 0.05 ? TYPOGRAPHY : WORDS
    content += `${words[Math.floor(random() * words.length)] ?? ''}${Math.floor(random() * 10)} `
  }
  return { id, role, content, tokens: Math.floor(random() * 500) }
}

function mulberry32(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
