import { CheckpointerError } from '../../errors.ts'
import type { StoredWrite } from '../../operations/host.ts'
import type { Codec } from '../../state/codec.ts'
import { newId } from '../new-id.ts'
import { END, type End } from './journal/entries.ts'
import { inWords, isRefused, plainError } from './journal/kept-error.ts'
import { withStatus, type RunState } from './run-state.ts'
import { storedEntry } from './journal/writer.ts'

/** The last checkpoint and the result come in one commit: a run is never seen to have one without the other. */
export async function finish<State>(state: RunState<State>, draft: State, result: unknown): Promise<void> {
  const { ground } = state.turn
  const writes = [endEntry({ runId: state.run.id, status: 'finished', result }, ground.codec)]
  if (ground.isSaved(draft, state.seq)) await state.end('finished', writes)
  else await state.save(draft, { source: 'loop' }, { run: withStatus(state.run, 'finished'), writes })
}

/** Says how it has ended, for who resumes it; unless another runner has it already. `keys`: the steps to do again. */
export async function fail<State>(
  state: RunState<State>,
  error: unknown,
  keys: readonly string[],
): Promise<void> {
  const { ground, signal } = state.turn
  const why: unknown = signal.aborted ? signal.reason : error
  // It is another's by now, or will be.
  if (CheckpointerError.is(why, 'LEASE_LOST') || CheckpointerError.is(why, 'CLOSED')) return
  const status = signal.aborted ? 'stopped' : 'failed'
  const end = (kept: unknown): StoredWrite =>
    endEntry({ runId: state.run.id, status, error: kept, ...(keys.length > 0 ? { keys } : {}) }, ground.codec)
  try {
    await state.end(status, [storable(end, why)], inWords(why))
  } catch (cause) {
    const isTold = CheckpointerError.is(why) && CheckpointerError.is(cause, why.code)
    if (!isTold) ground.onWarning(notRecorded(ground.thread, cause))
  }
}

export const endEntry = (end: End, codec: Codec): StoredWrite =>
  storedEntry({ key: newId(), at: END, value: end }, codec)

function storable(entry: (error: unknown) => StoredWrite, error: unknown): StoredWrite {
  try {
    return entry(error)
  } catch (refused) {
    if (!isRefused(refused)) throw refused
    return entry(plainError(error))
  }
}

const notRecorded = (thread: string, cause: unknown): CheckpointerError =>
  new CheckpointerError(
    'FAILED',
    `That the run of thread '${thread}' has ended could not be written: it looks like one whose runner is gone, and can be resumed.`,
    { thread, cause },
  )
