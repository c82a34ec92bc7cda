import type { CheckpointerEvent } from '../checkpoint.ts'
import { reportFailure } from '../errors.ts'
import { unref } from '../platform/unref.ts'

type Listener = (event: CheckpointerEvent) => void
export type Tell = Listener

/** Both ends of the news of one database. */
export interface Events {
  publish(event: CheckpointerEvent): void
  subscribe(listener: Listener): () => void
  close(): void
  /** Whatever is done under this name, by any tab, is heard of; but see `onGap`. */
  readonly hearsAll?: boolean
  /** Tells that for a while nothing could be heard, whatever was done then. */
  onGap?(listener: () => void): () => void
}

/** Where changes are heard of. */
export type EventSource = Pick<Events, 'subscribe' | 'hearsAll' | 'onGap' | 'close'>

/** The version of the messages; a tab with another one does not hear us, rather than misread us. */
const PROTOCOL = 1

/**
 * News between all tabs, workers and service workers that use the database of this name; where there are no
 * channels, none leave, and `polledEvents` finds them out.
 */
export function tabEvents(name: string): Events {
  if (!hasChannels()) return localEvents()
  const all = listeners()
  const channel = new BroadcastChannel(`forkpoint:${PROTOCOL}:${name}`)
  unref(channel)
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    const event = parseEvent(data)
    if (event) all.tell(event)
  }
  let closed = false
  return {
    publish(event) {
      if (!closed) channel.postMessage(event)
    },
    subscribe: all.add,
    hearsAll: true,
    close() {
      closed = true
      all.clear()
      channel.close()
    },
  }
}

/** News within one checkpointer, for storages: nobody tells of what others do there, so it is looked for. */
export function localEvents(): Events {
  const all = listeners()
  return {
    publish: (event) => queueMicrotask(() => all.tell(event)),
    subscribe: all.add,
    close: all.clear,
  }
}

export const hasChannels = (): boolean => typeof BroadcastChannel !== 'undefined'

export function listeners() {
  const all = new Set<Listener>()
  const tell: Tell = (event) => {
    for (const listener of all) {
      try {
        listener(event)
      } catch (error) {
        // One listener's failure is not the others'.
        reportFailure(error)
      }
    }
  }
  return {
    tell,
    add(listener: Listener): () => void {
      // Each subscription is its own, also when the same function is given twice.
      const own: Listener = (event) => listener(event)
      all.add(own)
      return () => void all.delete(own)
    },
    isEmpty: () => all.size === 0,
    clear: () => all.clear(),
  }
}

const FIELDS: Record<CheckpointerEvent['type'], Record<string, 'string' | 'number' | 'numbers'>> = {
  saved: { thread: 'string', namespace: 'string', seq: 'number', id: 'string' },
  forked: { thread: 'string', namespace: 'string', from: 'string', seq: 'number' },
  pruned: { thread: 'string', namespace: 'string', seqs: 'numbers' },
  deleted: { thread: 'string' },
  destroyed: {},
  run: { thread: 'string', namespace: 'string', runId: 'string', status: 'string' },
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
