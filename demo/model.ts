/** A model that is none: what it says follows from the state alone, so that every run can be had again. */
import { library } from './library.ts'

interface Message {
  readonly role: 'user' | 'assistant' | 'tool'
  readonly text: string
  /** For a tool's message: which tool, what it was asked, and what it gave. */
  readonly tool?: string
  readonly args?: Readonly<Record<string, string>>
  readonly result?: unknown
}

export interface AgentState {
  readonly question: string
  readonly askedAt: Date
  readonly round: number
  readonly messages: readonly Message[]
  readonly seen: ReadonlySet<string>
  readonly draft: readonly string[]
}

/** What a node has made of the state, and which nodes come next. */
export interface Turn {
  readonly state: AgentState
  readonly next: readonly string[]
}

const script = [
  {
    question: 'How did sailors keep time at sea?',
    topics: ['bell and watch', 'chronometer and port', 'moon and tables'],
  },
  {
    question: 'How did they know where they were?',
    topics: ['course and speed', 'latitude by the sun', 'knots on a line'],
  },
  { question: 'What went wrong?', topics: ['error in position', 'sand in damp air', 'cloud at noon'] },
] as const

/** The state with the next question of the script put to the agent. */
export function ask(before?: AgentState): AgentState {
  const asked = before?.messages.filter(({ role }) => role === 'user').length ?? 0
  const { question } = lineOf(asked)
  return {
    question,
    askedAt: new Date(),
    round: 0,
    messages: [...(before?.messages ?? []), { role: 'user', text: question }],
    seen: before?.seen ?? new Set(),
    draft: [],
  }
}

/** Runs one node. */
export function advance(state: AgentState, node: string): Turn {
  switch (node) {
    case 'plan':
      return { state: say(state, plan(state)), next: ['search'] }
    case 'search':
      return { state: say(state, search(lastText(state))), next: ['read'] }
    case 'read':
      return { state: read(state), next: ['write'] }
    case 'write':
      return write(state)
    default:
      throw new Error(`The agent has no node “${node}”.`)
  }
}

/** Looks for what the script says, and for the last message when that is not what the script would have there. */
function plan(state: AgentState): Message {
  const asked = state.messages.filter(({ role }) => role === 'user').length
  const { topics } = lineOf(asked - 1)
  const own = ownWords(state)
  if (own !== '') return { role: 'assistant', text: `I will look for: ${own}.` }
  return { role: 'assistant', text: `I will look for: ${topics[state.round % topics.length]}.` }
}

/** The words of the last message, if a fork has put others in the place of the script's. */
function ownWords(state: AgentState): string {
  const last = state.messages.at(-1)
  const scripted = last?.role === 'user' ? state.question : goingOn(state.draft.at(-1) ?? '')
  return last === undefined || last.text === scripted ? '' : words(last.text).join(' ')
}

function search(text: string): Message {
  const query = words(text).join(' ')
  const found = library
    .map((page) => ({ title: page.title, score: overlap(query, `${page.title} ${page.text}`) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, 3)
  const said =
    found.length === 0 ? 'Found nothing.' : `Found ${found.map(({ title }) => `“${title}”`).join(', ')}.`
  return { role: 'tool', tool: 'search', args: { query }, result: found, text: said }
}

/** Reads the first page that the last message names and that was not read before. */
function read(state: AgentState): AgentState {
  const said = lastText(state)
  const named = library
    .filter(({ title }) => said.includes(title))
    .sort((a, b) => said.indexOf(a.title) - said.indexOf(b.title))
  const page = named.find(({ title }) => !state.seen.has(title)) ?? named[0]
  if (!page) return say(state, { role: 'tool', tool: 'read', text: 'There was nothing to read.' })
  const { title, text } = page
  const next = say(state, { role: 'tool', tool: 'read', args: { title }, result: { title }, text })
  return { ...next, seen: new Set([...state.seen, title]) }
}

function write(state: AgentState): Turn {
  const [sentence = ''] = lastText(state).split(/(?<=\.)\s/)
  const round = state.round + 1
  const isLast = round >= lineOf(0).topics.length
  const text = isLast ? `${sentence} That answers it.` : goingOn(sentence)
  const next = say({ ...state, round, draft: [...state.draft, sentence] }, { role: 'assistant', text })
  return { state: next, next: isLast ? [] : ['plan'] }
}

const goingOn = (sentence: string): string => `${sentence} There is more to it.`

const say = (state: AgentState, message: Message): AgentState => ({
  ...state,
  messages: [...state.messages, message],
})

const lastText = ({ messages }: AgentState): string => messages.at(-1)?.text ?? ''

const lineOf = (asked: number) => script[asked % script.length] ?? script[0]

const small = new Set(['will', 'look', 'for', 'and', 'the', 'with', 'that', 'was'])

const words = (text: string): string[] =>
  (text.toLowerCase().match(/\p{L}+/gu) ?? []).filter((word) => word.length > 2 && !small.has(word))

function overlap(query: string, text: string): number {
  const there = new Set(words(text))
  return query.split(' ').filter((word) => there.has(word)).length
}
