// eslint-disable-next-line import/default -- Vite gives the address of what it has bundled.
import script from './service-worker.ts?worker&url'
import { RACES, type Kept, type Kind, type Racer } from './races.ts'
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

/** A browser ends a service worker that takes minutes over one thing; so there it is done in parts. */
const PART = 25

/** Does its part of a race, wherever that is to be. */
export async function race<K extends Kind>(kind: K, racer: Racer): Promise<Kept<K>[]> {
  if (racer.where !== 'service worker') return [(await RACES[kind](racer)) as Kept<K>]
  const parts: Kept<K>[] = []
  for (let { from } = racer; from < racer.to; from += PART) {
    const part: Racer = { ...racer, from, to: Math.min(racer.to, from + PART) }
    parts.push((await ask({ call: 'race', name: racer.name, kind, racer: part })) as Kept<K>)
  }
  return parts
}
