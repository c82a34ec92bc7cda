import type { Endpoint } from 'comlink'
import { CheckpointerError } from '../errors.ts'

/** What stands at the other end: a worker that we started, or what the caller gave. */
export type WorkerLike = Endpoint & { terminate?: () => void }

/** Starts the worker that comes with the package. Bundlers look for exactly this expression. */
export function startWorker(): WorkerLike {
  return new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'forkpoint' })
}

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
  return given
}
