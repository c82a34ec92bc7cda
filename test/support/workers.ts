import { CheckpointerError, type Checkpointer } from 'forkpoint'
import { expect, onTestFinished } from 'vitest'
import { indexedDbHost } from '../../src/worker/in-process.ts'
import { serve, type Opener } from '../../src/worker/serve.ts'

const run = Math.random().toString(36).slice(2)
let count = 0
export const newName = (): string => `worker-${run}-${++count}`

export function ownWorker(): Worker {
  return new Worker(new URL('../../src/worker/worker.ts', import.meta.url), { type: 'module' })
}

/** Ports whose other end is in a worker of the caller's. */
export function handedOn(): MessagePort {
  const worker = new Worker(new URL('./port-worker.ts', import.meta.url), { type: 'module' })
  onTestFinished(() => worker.terminate())
  const { port1, port2 } = new MessageChannel()
  worker.postMessage('serve', [port2])
  return port1
}

/** A port whose other end is served in this thread. */
export function servedHere(open: Opener = indexedDbHost): MessagePort {
  const { port1, port2 } = new MessageChannel()
  serve(port2, open)
  return port1
}

/** As bundled: a name of its own is nothing that Vite would read, and without one it would be the same worker each time. */
export function shared(): MessagePort {
  const script = new URL('/src/worker/worker.ts?worker_file&type=module', location.origin)
  return new SharedWorker(script, { type: 'module', name: newName() }).port
}

export const neverWarn = (warning: Error): void => {
  throw warning
}

export async function works(checkpointer: Checkpointer): Promise<void> {
  const thread = checkpointer.thread<{ n: number }>('t')
  await thread.save({ n: 1 })
  await thread.save({ n: 2 })
  const fork = await thread.fork({ at: 1, edit: (draft) => void (draft.n = 10) })
  expect((await thread.load())?.state).toEqual({ n: 2 })
  expect((await fork.load())?.state).toEqual({ n: 10 })
  expect((await checkpointer.verify()).problems).toEqual([])
}

export async function failureOf(call: Promise<unknown>): Promise<CheckpointerError> {
  const error = await call.then(
    () => new Error('It did not fail.'),
    (reason: unknown) => reason,
  )
  if (!CheckpointerError.is(error)) throw error
  return error
}
