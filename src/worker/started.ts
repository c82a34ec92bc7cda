import { CheckpointerError } from '../errors.ts'
import { serving, type WorkerLike } from './start.ts'

/** The worker that this gives: ours, or one of the caller's, which may be anything. */
export function started(start: () => WorkerLike): WorkerLike {
  let given: WorkerLike
  try {
    given = start()
  } catch (cause) {
    throw new CheckpointerError('WORKER_LOST', `The worker could not be started: ${String(cause)}`, { cause })
  }
  if (typeof given?.postMessage !== 'function' || typeof given.addEventListener !== 'function')
    throw new CheckpointerError(
      'INVALID',
      'worker must give a Worker or a port; of a SharedWorker its port, and not a promise of one.',
      { path: 'worker' },
    )
  if (serving.has(given))
    throw new CheckpointerError(
      'INVALID',
      'This worker or port serves a checkpointer already. Give each one of its own.',
      { path: 'worker' },
    )
  return given
}
