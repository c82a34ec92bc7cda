/**
 * What stands at the other end: a worker that we started, or what the caller gave. In words of its own: those of comlink
 * and of the DOM are not there for who compiles for Node.
 */
export interface WorkerLike {
  /** Sends a message, and hands over what is named. */
  postMessage(message: unknown, transfer?: object[]): void
  /** As of any `EventTarget`: for `message`, and for `error` and `messageerror` where there are such. */
  addEventListener(type: string, listener: (event: object) => void, options?: object): void
  /** As of any `EventTarget`. */
  removeEventListener(type: string, listener: (event: object) => void, options?: object): void
  /** Of a port: begins to give what has come. */
  start?(): void
  /** Of a worker: ends it. */
  terminate?(): void
}

/** Starts the worker that comes with the package. Bundlers look for exactly this expression. */
export function startWorker(): WorkerLike {
  return new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'forkpoint' })
}

/** Those that serve a checkpointer of this page: another one is refused them, and does not end them. */
export const serving = new WeakSet<WorkerLike>()
