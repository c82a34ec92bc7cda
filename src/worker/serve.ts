import { expose, transfer, type Endpoint } from 'comlink'
import { CheckpointerError } from '../errors.ts'
import type { Host } from '../operations/host.ts'
import { callOf, VERBS } from '../operations/verbs.ts'
import { buffersOf } from './handed-over.ts'
import { whenGone } from './presence.ts'
import { PROTOCOL, toWire, type OpenMessage, type WireApi, type WireReply, type WireWarning } from './wire.ts'

/** Opens the database that the page asks for; what fails beside its calls is told as a warning. */
export type Opener = (message: OpenMessage, onWarning: (warning: CheckpointerError) => void) => Promise<Host>

/**
 * Serves a host to the one page at the other end. `expose` by itself would let that end walk from any function to
 * its constructor and run code here, so only whole calls of the three names below are let through to it.
 */
export function serve(endpoint: Endpoint, open: Opener): void {
  let opening: Promise<Host> | undefined
  const start = (message: OpenMessage): Promise<Host> =>
    open(message, (warning) => {
      endpoint.postMessage({ forkpointWarning: toWire(warning) } satisfies WireWarning)
    })
  const api: WireApi = {
    hello: async () => ({ protocol: PROTOCOL }),
    open: (message) =>
      answer(async () => {
        // Two checkpointers would share one database whatever their names, and the first to close would end both.
        if (opening)
          throw new CheckpointerError(
            'INVALID',
            'This worker or port serves a checkpointer already. Give each one of its own.',
          )
        opening = start(message)
        try {
          await opening
        } catch (error) {
          opening = undefined
          throw error
        }
        if (typeof message.presence === 'string') void closeWhenGone(message.presence, opening)
      }),
    call: (verb, request) =>
      answer(async () => {
        if (!VERBS.includes(verb))
          throw new CheckpointerError('UNSUPPORTED', `There is no verb ${JSON.stringify(verb)}.`)
        if (!opening) throw new CheckpointerError('CLOSED', 'The worker has no database open.')
        return callOf(await opening, verb)(request)
      }),
  }
  expose(api, guarded(endpoint))
}

/** What the page had asked for before is done first. Nobody is left to be told of a failure. */
async function closeWhenGone(presence: string, opened: Promise<Host>): Promise<void> {
  await whenGone(presence)
  const host = await opened
  await host.close().catch(() => {})
}

async function answer(work: () => Promise<unknown>): Promise<WireReply> {
  try {
    const value = await work()
    return transfer({ value }, buffersOf(value))
  } catch (error) {
    return { error: toWire(error) }
  }
}

const NAMES: readonly string[] = ['hello', 'open', 'call'] satisfies (keyof WireApi)[]

/** The endpoint, with every message dropped that is not a plain call of one of our names with plain arguments. */
function guarded(endpoint: Endpoint): Endpoint {
  const wrapped = new Map<unknown, EventListener>()
  return {
    postMessage: (message, transfers) => endpoint.postMessage(message, transfers),
    start: () => endpoint.start?.(),
    addEventListener(type, listener, options) {
      const handle: EventListener = (event) => {
        if (!isCall((event as MessageEvent<unknown>).data)) return
        if (typeof listener === 'function') listener(event)
        else listener.handleEvent(event)
      }
      wrapped.set(listener, handle)
      endpoint.addEventListener(type, handle, options)
    },
    removeEventListener(type, listener, options) {
      const handle = wrapped.get(listener)
      if (handle) endpoint.removeEventListener(type, handle, options)
    },
  }
}

function isCall(data: unknown): boolean {
  if (typeof data !== 'object' || data === null) return false
  const { type, path, argumentList } = data as { type?: unknown; path?: unknown; argumentList?: unknown }
  if (type !== 'APPLY' || !Array.isArray(path) || path.length !== 1 || !NAMES.includes(path[0])) return false
  return (
    Array.isArray(argumentList) &&
    argumentList.every((argument: { type?: unknown } | null) => argument?.type === 'RAW')
  )
}
