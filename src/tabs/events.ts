import type { CheckpointerEvent } from '../checkpoint.ts'

type Listener = (event: CheckpointerEvent) => void

/** Both ends of the news of one database. */
export interface Events {
  publish(event: CheckpointerEvent): void
  subscribe(listener: Listener): () => void
  close(): void
}

/** The version of the messages; a tab with another one does not hear us, rather than misread us. */
const PROTOCOL = 1

/** News between all tabs, workers and service workers that use the database of this name. */
export function tabEvents(name: string): Events {
  if (typeof BroadcastChannel === 'undefined') return localEvents()
  const listeners = new Set<Listener>()
  const channel = new BroadcastChannel(`forkpoint:${PROTOCOL}:${name}`)
  // In Node an open channel would keep the process alive.
  ;(channel as { unref?: () => void }).unref?.()
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    const event = parseEvent(data)
    if (event) tell(listeners, event)
  }
  let closed = false
  return {
    publish(event) {
      if (!closed) channel.postMessage(event)
    },
    subscribe: (listener) => subscribed(listeners, listener),
    close() {
      closed = true
      listeners.clear()
      channel.close()
    },
  }
}

/** News within one checkpointer, for storages that no other tab can see. */
export function localEvents(): Events {
  const listeners = new Set<Listener>()
  return {
    publish: (event) => queueMicrotask(() => tell(listeners, event)),
    subscribe: (listener) => subscribed(listeners, listener),
    close: () => listeners.clear(),
  }
}

function subscribed(listeners: Set<Listener>, listener: Listener): () => void {
  // Each subscription is its own, also when the same function is given twice.
  const own: Listener = (event) => listener(event)
  listeners.add(own)
  return () => void listeners.delete(own)
}

function tell(listeners: ReadonlySet<Listener>, event: CheckpointerEvent): void {
  for (const listener of listeners) {
    try {
      listener(event)
    } catch (error) {
      // One listener's failure is not the others'; it is reported as the failure of any event handler is.
      ;(globalThis.reportError ?? console.error)(error)
    }
  }
}

const FIELDS: Record<CheckpointerEvent['type'], Record<string, 'string' | 'number' | 'numbers'>> = {
  saved: { thread: 'string', namespace: 'string', seq: 'number', id: 'string' },
  forked: { thread: 'string', namespace: 'string', from: 'string', seq: 'number' },
  pruned: { thread: 'string', namespace: 'string', seqs: 'numbers' },
  deleted: { thread: 'string' },
  writes: { thread: 'string', namespace: 'string', seq: 'number', taskId: 'string' },
}

/** Only what has the shape of an event, and only the fields of one: any script of the origin can post here. */
export function parseEvent(data: unknown): CheckpointerEvent | undefined {
  if (typeof data !== 'object' || data === null) return undefined
  const message = data as Record<string, unknown>
  const { type } = message
  if (typeof type !== 'string' || !Object.hasOwn(FIELDS, type)) return undefined
  const event: Record<string, unknown> = { type }
  for (const [name, kind] of Object.entries(FIELDS[type as CheckpointerEvent['type']])) {
    const value = message[name]
    const fits =
      kind === 'numbers'
        ? Array.isArray(value) && Array.from(value).every((each) => typeof each === 'number')
        : typeof value === kind
    if (!fits) return undefined
    event[name] = value
  }
  return event as CheckpointerEvent
}
