import type { Checkpointer } from '../../../src/index.ts'
import { DRAWN, THREAD, type AgentState } from './agent.ts'
import type { Effects } from './effects.ts'
import { broken } from './proof.ts'

/** What is there when an agent has run: its run, all its states, and what `verify` says. */
export interface AgentEnd {
  readonly status: string
  readonly states: readonly AgentState[]
  readonly problems: readonly string[]
}

export async function agentEnd(checkpointer: Checkpointer, id = THREAD): Promise<AgentEnd> {
  const states: AgentState[] = []
  const thread = checkpointer.thread<AgentState>(id)
  for await (const { state } of thread.history({ states: true, order: 'oldest' })) states.push(state)
  let status = 'none'
  for await (const run of checkpointer.runs()) if (run.thread === id) ({ status } = run)
  const { problems } = await checkpointer.verify()
  return { status, states, problems: problems.map((each) => JSON.stringify(each)) }
}

/** The same as unkilled, and the world was told what the state says. */
export function compareEnds(
  about: unknown,
  { end, effects, whole }: { readonly end: AgentEnd; readonly effects: Effects; readonly whole: AgentEnd },
): void {
  if (effects.wrong.length > 0) throw broken('the world was called as it must not be', { about, ...effects })
  if (end.status !== 'finished' || end.problems.length > 0)
    throw broken('the run did not come to its end', { about, ...end })
  const [found, wanted] = [end, whole].map(({ states }) => JSON.stringify(states.map(withoutChance)))
  if (found !== wanted) throw broken('the states are not the same', { about, found, wanted })
  const notes = end.states.at(-1)?.notes ?? []
  const receipts = new Set(effects.done.map(({ what }) => `receipt of ${what}`))
  const told = new Set(notes.flatMap((note) => note.match(/receipt of \w+( \w+)?/g) ?? []))
  const unknown = [...told].filter((receipt) => !receipts.has(receipt.replace(/ and$/, '')))
  if (unknown.length > 0) throw broken('there are receipts of what was never done', { about, unknown })
  const drawn = notes.find((note) => note.startsWith(DRAWN))?.slice(DRAWN.length)
  if (drawn === undefined || effects.toldBy('send') !== drawn)
    throw broken('what was sent is not what was drawn', { about, drawn, sent: effects.toldBy('send') })
}

const withoutChance = ({ stage, notes }: AgentState): AgentState => ({
  stage,
  notes: notes.map((note) => (note.startsWith(DRAWN) ? DRAWN : note)),
})
