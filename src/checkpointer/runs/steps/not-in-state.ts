import { CheckpointerError } from '../../../errors.ts'
import type { RunState } from '../run-state.ts'

/**
 * Warns of external steps that were `done`, and that a save from one checkpoint to another leaves behind without a word of them in
 * the state: once of each name that was not `told`.
 */
export function warnOfUntold<State>(
  { turn: { ground } }: RunState<State>,
  told: Set<string>,
  done: ReadonlySet<string>,
  from: number,
  to: number,
): void {
  const { thread, namespace } = ground
  for (const name of done) {
    if (told.has(name) || !ground.isSame(from, to)) continue
    told.add(name)
    const text = `loop.save() left the external step '${name}' behind, and nothing in loop.state has changed: a resumed run does it again. Say there that it was done.`
    ground.onWarning(new CheckpointerError('INVALID', text, { thread, namespace, seq: to }))
  }
}
