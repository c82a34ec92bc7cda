// eslint-disable-next-line import/default -- Vite gives the address of what it has bundled.
import script from './service-worker.ts?worker&url'
import type { missing } from './witness.ts'

/** Has the service worker of this page do it. */
async function ask(data: object): Promise<unknown> {
  const registration = await navigator.serviceWorker.register(script, { type: 'module' })
  const worker = registration.installing ?? registration.waiting ?? registration.active
  if (!worker) throw new Error('there is no service worker')
  const { port1, port2 } = new MessageChannel()
  worker.postMessage(data, [port2])
  const { data: answer } = await new Promise<MessageEvent<{ result?: unknown; error?: string }>>(
    (resolve) => {
      port1.onmessage = resolve
    },
  )
  if (answer.error !== undefined) throw new Error(answer.error)
  return answer.result
}

export async function keepInServiceWorker(
  name: string,
  steps: Readonly<Record<string, number>>,
): Promise<void> {
  await ask({ call: 'keep', name, steps })
}

export async function missingInServiceWorker(name: string): ReturnType<typeof missing> {
  return (await ask({ call: 'missing', name })) as Awaited<ReturnType<typeof missing>>
}

/** The model agent, in there; should the worker be stopped, this never resolves. */
export async function runInServiceWorker(name: string): Promise<string> {
  return String(await ask({ call: 'agent', name }))
}
