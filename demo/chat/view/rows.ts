/** What stands in the transcript, a row a turn of each side. */
import type { AgentMessage, Call, Chat, Ending, ToolMessage, UserMessage } from '../agent/chat.ts'
import { nextId } from '../agent/chat.ts'
import type { Seen } from '../threads/follow.ts'

export type Row = UserRow | AgentRow

interface UserRow {
  readonly kind: 'user'
  readonly key: string
  readonly message: UserMessage
}

export interface AgentRow {
  readonly kind: 'agent'
  readonly key: string
  readonly text: string
  readonly model: string
  readonly calls: readonly CallShown[]
  readonly isStopped: boolean
  readonly endedBy?: Ending
  readonly cuts: number
  readonly restarts: number
  /** It is not saved yet. */
  readonly isComing: boolean
  /** It goes on with what the agent has said above. */
  readonly isMore: boolean
  /** The user's message that this is the answer to, at the last row of the answer. */
  readonly answers?: UserMessage
}

export interface CallShown {
  readonly call: Call
  /** The user is asked before it goes on. */
  readonly isAsked?: boolean
  readonly result?: ToolMessage
}

export function rowsOf({ chat, draft, run }: Seen): Row[] {
  if (!chat) return []
  const isAsked = run?.status === 'waiting'
  const rows = chat.messages.flatMap((message) => rowOf(chat, message, isAsked))
  const isLive = run?.status === 'running' || run?.status === 'waiting'
  const last = chat.messages.at(-1)
  const isOwed = last && (last.role !== 'agent' || last.calls !== undefined)
  const { text, calls, isStopped } = draft ?? { text: '', calls: [], isStopped: false }
  if (run && last && (draft || (isLive && isOwed)) && !isAtTool(chat))
    rows.push({
      kind: 'agent',
      key: nextId(run.runId, chat),
      text,
      model: '',
      calls: calls.map((call) => ({ call })),
      isStopped,
      cuts: 0,
      restarts: 0,
      isComing: true,
      isMore: false,
    })
  return inPlace(rows)
}

function rowOf(chat: Chat, message: Chat['messages'][number], isAsked: boolean): Row[] {
  // What a tool has given stands with its call.
  if (message.role === 'tool') return []
  if (message.role === 'user') return [{ kind: 'user', key: message.id, message }]
  const { id, text, model, calls = [], isStopped = false, endedBy, cuts = 0, restarts = 0 } = message
  const shown = calls.map((call, i) => ({ ...shownCall(chat, message, call, i), isAsked }))
  const told = { text, model, calls: shown, isStopped, cuts, restarts, ...(endedBy ? { endedBy } : {}) }
  return [{ kind: 'agent', key: id, ...told, isComing: false, isMore: false }]
}

/** The results stand right behind the message that called for them, in the order of its calls. */
function shownCall({ messages }: Chat, message: AgentMessage, call: Call, index: number): CallShown {
  const at = messages.indexOf(message) + 1
  const results = messages.slice(at, at + index + 1)
  const result = results.at(-1)
  const isThere = results.length > index && results.every(({ role }) => role === 'tool')
  return isThere && result?.role === 'tool' ? { call, result } : { call }
}

function isAtTool({ messages }: Chat): boolean {
  const last = messages.findLast(({ role }) => role === 'agent')
  if (last?.role !== 'agent' || !last.calls) return false
  const results = messages.length - 1 - messages.lastIndexOf(last)
  return results < last.calls.length
}

/** What depends on the rows around: who has the word already, and whether the answer ends here. */
function inPlace(rows: readonly Row[]): Row[] {
  let asked: UserMessage | undefined
  return rows.map((row, i) => {
    if (row.kind === 'user') asked = row.message
    if (row.kind === 'user') return row
    const placed = { ...row, isMore: rows[i - 1]?.kind === 'agent' }
    return asked && rows[i + 1]?.kind !== 'agent' ? { ...placed, answers: asked } : placed
  })
}
