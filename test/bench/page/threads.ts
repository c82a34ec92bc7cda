import {
  advance,
  advanceFrozen,
  firstState,
  freeze,
  messagesOf,
  newState,
  type AgentState,
} from '../agent-loop.ts'
import type { Shape } from '../workloads.ts'
import { Answer } from './answer.ts'
import type { Step } from './contender.ts'

/** The states of the application that is measured, thread by thread; each step makes the next one. */
export class Threads {
  readonly #states = new Map<string, { seq: number; state: AgentState }>()

  /** Begins a thread, whose first save will hold what the workload begins with. */
  begin(thread: string, shape: Shape): void {
    this.#states.set(thread, { seq: 0, state: firstState(shape) })
  }

  has(thread: string): boolean {
    return this.#states.has(thread)
  }

  state(thread: string): AgentState {
    return this.#of(thread).state
  }

  seq(thread: string): number {
    return this.#of(thread).seq
  }

  /** A fork, as the application sees it. */
  branch(thread: string, at: number, as: string, shape: Shape): void {
    const state = firstState(shape)
    for (let step = 1; step <= at; step++) advance(state, step, messagesOf(step, shape))
    this.#states.set(as, { seq: at, state })
    if (at > this.seq(thread)) throw new Error(`${thread} has no step ${at}`)
  }

  /** The next step. `frozen`: a state of its own, as those of a seed must be, which are all there at once. */
  next(thread: string, shape: Shape, frozen: boolean): Step {
    const of = this.#of(thread)
    of.seq++
    const added = messagesOf(of.seq, shape)
    if (frozen)
      of.state = advanceFrozen(Object.isFrozen(of.state) ? of.state : freeze(of.state), of.seq, added)
    else of.state = advance(Object.isFrozen(of.state) ? thawed(of.state) : of.state, of.seq, added)
    return { thread, seq: of.seq, state: of.state, change: added.length > 0 ? { added } : {} }
  }

  /** An answer that comes in as the next step, which is taken over once it is there. */
  answer(thread: string, tokens: readonly string[]): Answer {
    const { seq, state } = this.#of(thread)
    return new Answer(thread, seq + 1, state, tokens)
  }

  take({ thread, seq, state }: Step): void {
    this.#states.set(thread, { seq, state })
  }

  #of(thread: string): { seq: number; state: AgentState } {
    const found = this.#states.get(thread)
    if (!found) throw new Error(`no thread ${thread} was begun`)
    return found
  }
}

/** Only what an application changes in place; the messages themselves are its own, too. */
const thawed = (state: AgentState): AgentState => ({
  ...newState(),
  ...state,
  messages: state.messages.map((message) => ({ ...message })),
})
