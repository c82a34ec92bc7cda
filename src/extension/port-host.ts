import type { Host } from '../operations/host.ts'
import { makeHost } from '../operations/verbs.ts'
import { tellSince } from '../remote/catch-up.ts'
import type { EventSource } from '../tabs/events.ts'
import type { OnWarning } from '../warner.ts'
import { PortLine, type Patience } from './port-line.ts'
import type { Port } from './runtime.ts'

/** A host at the other end of ports, and what is heard from it. */
export interface PortHost extends Host {
  readonly events: EventSource
  readonly isShared: true
}

interface PortHostOptions {
  /** Told of what no call can be rejected with. */
  readonly onWarning: OnWarning
  readonly patience?: Patience
}

export function portHost(connect: () => Port, options: PortHostOptions): PortHost {
  const line = new PortLine(connect, options)
  const host = makeHost((verb) => (request) => line.call(verb, request))
  line.catchUp = (since) => tellSince(host, since, line.heard.tell)
  return {
    ...host,
    events: line.events,
    isShared: true,
    // The other side has what it has answered, and rests by itself.
    owe: async () => undefined,
    settle: async () => {},
    rest: async () => {},
    close: async () => line.close(),
  }
}
