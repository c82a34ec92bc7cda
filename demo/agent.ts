/** The agent's loop. A checkpoint after each step is all that it needs to go on after anything. */
import type { CheckpointInfo, Snapshot, Thread } from 'forkpoint'
import { advance, ask, type AgentState } from './model.ts'

export type AgentThread = Thread<AgentState>

export interface RunOptions {
  readonly runId: string
  readonly signal: AbortSignal
  readonly onStep?: (saved: CheckpointInfo) => void
}

export type Ending = 'finished' | 'stopped'

const STEP_MS = 300

/** Goes on from the head: with what is next there, or with a new question. */
export async function runAgent(
  thread: AgentThread,
  head: Snapshot<AgentState> | undefined,
  { runId, signal, onStep }: RunOptions,
): Promise<Ending> {
  let seq = head?.seq ?? null
  let step = head?.step ?? -1
  let state = head?.state
  let next = head?.next ?? []

  const save = async (made: AgentState, node: string, then: readonly string[], source: string) => {
    step += 1
    // Should another tab have written meanwhile, this rejects with CONFLICT instead of mixing two runs.
    const saved = await thread.save(made, { node, next: then, step, runId, source, expect: seq })
    seq = saved.seq
    state = made
    next = then
    onStep?.(saved)
  }

  if (!state || next.length === 0) await save(ask(state), 'input', ['plan'], 'input')
  while (state && next[0] !== undefined) {
    if (!(await waited(STEP_MS, signal))) return 'stopped'
    const node = next[0]
    const turn = advance(state, node)
    await save(turn.state, node, turn.next, 'loop')
  }
  return 'finished'
}

/** Whether the time went by before the signal came. */
function waited(ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (whole: boolean): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      resolve(whole)
    }
    const stop = (): void => end(false)
    const timer = setTimeout(() => end(true), ms)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop)
  })
}
