/** The loop: the model answers, its calls are done, and it answers again, until it calls for nothing more. */
import type { Loop } from 'forkpoint'
import type { Model } from '../models/model.ts'
import type { Toolbox } from '../tools/tool.ts'
import {
  nextId,
  openCalls,
  roundsOf,
  type AgentMessage,
  type Call,
  type Chat,
  type ToolMessage,
} from './chat.ts'
import { emptyDraft, withPiece, type Piece } from './draft.ts'
import { untilHalted } from './until-halted.ts'

/** So that a model that never has enough does not go on for ever. */
const MOST_ROUNDS = 12

export interface Means {
  readonly model: Model
  readonly tools: Toolbox
  /** Aborted when the user has had enough: then what there is, is kept. */
  readonly halt: AbortSignal
  /** The model is asked, from the beginning of an answer. */
  readonly onAsk?: () => void
}

/** What comes next is seen in the state alone, as the loop begins there anew when it is resumed. */
export async function agent(loop: Loop<Chat>, means: Means): Promise<void> {
  for (;;) {
    const { messages } = loop.state
    const [call] = openCalls(loop.state)
    if (call) messages.push(await use(loop, call, means))
    else if (messages.at(-1)?.role === 'agent') return
    else messages.push(await answer(loop, means))
    await loop.save({ node: call ? call.tool : 'model', step: messages.length })
  }
}

async function answer(loop: Loop<Chat>, { model, tools, halt, onAsk }: Means): Promise<AgentMessage> {
  const { state } = loop
  const message = { role: 'agent', id: nextId(loop.runId, state), model: model.name } as const
  if (halt.aborted) return { ...message, text: '', isStopped: true }
  if (roundsOf(state) >= MOST_ROUNDS)
    return { ...message, text: `I have used tools ${MOST_ROUNDS} times and stop here. Ask me to go on.` }
  let cuts = 0
  let restarts = 0
  let draft = emptyDraft
  const pieces = loop.stream<Piece>(
    'model',
    ({ signal, chunks }) => {
      if (chunks.length === 0) onAsk?.()
      const had = chunks as readonly Piece[]
      const request = { chat: state, tools: tools.all, signal: AbortSignal.any([signal, halt]), had }
      return untilHalted(model.answer(request), halt)
    },
    {
      // The loop is begun anew after each cut: how often an answer was asked for anew is what the stream itself knows.
      whenCut({ attempt }) {
        if (model.canContinue) cuts = 1
        else restarts = attempt
        return model.canContinue ? 'continue' : 'restart'
      },
    },
  )
  for await (const piece of pieces) draft = withPiece(draft, piece)
  const { text, calls, isStopped, endedBy } = draft
  return {
    ...message,
    text,
    ...(calls.length > 0 && !isStopped ? { calls } : {}),
    ...(isStopped ? { isStopped: true } : {}),
    ...(endedBy ? { endedBy } : {}),
    ...(cuts > 0 ? { cuts } : {}),
    ...(restarts > 0 ? { restarts } : {}),
  }
}

/** A tool that fails has failed for the model to know of; the run goes on. */
async function use(loop: Loop<Chat>, call: Call, { tools, halt }: Means): Promise<ToolMessage> {
  const message = {
    role: 'tool',
    id: nextId(loop.runId, loop.state),
    call: call.id,
    tool: call.tool,
  } as const
  if (halt.aborted) return { ...message, text: 'Stopped by the user.', isError: true }
  try {
    return { ...message, text: await tools.use(call, { loop, halt }) }
  } catch (error) {
    if (loop.signal.aborted) throw loop.signal.reason
    if (!tools.isOwn(error)) throw error
    return { ...message, text: halt.aborted ? 'Stopped by the user.' : error.message, isError: true }
  }
}
