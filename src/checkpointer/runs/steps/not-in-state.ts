import { CheckpointerError } from '../../../errors.ts'
import type { RunState } from '../run-state.ts'

/** Warns of external steps that a save leaves behind without a word of them in the state, once of each name. */
export class NotInState<State> {
  readonly #state: RunState<State>
  readonly #told = new Set<string>()

  constructor(state: RunState<State>) {
    this.#state = state
  }

  /** A save led from one checkpoint to another; these steps were done before it. */
  saved(done: ReadonlySet<string>, from: number, to: number): void {
    const { ground } = this.#state.turn
    const fresh = [...done].filter((name) => !this.#told.has(name))
    if (fresh.length === 0 || !ground.isSame(from, to)) return
    const { thread, namespace } = ground
    for (const name of fresh) {
      this.#told.add(name)
      ground.onWarning(new CheckpointerError('INVALID', notInState(name), { thread, namespace, seq: to }))
    }
  }
}

const notInState = (name: string): string =>
  `loop.save() left the external step '${name}' behind with a state in which nothing has changed: resumed from there, the run does it again. Say in loop.state that it was done, or leave out the save.`
