import { checkFunction, checkOptions, invalid, type Names } from '../checkpointer/options/options.ts'
import { CheckpointerError } from '../errors.ts'
import type { Host } from '../operations/host.ts'
import { isAskedAgain, makeHost, type Verb } from '../operations/verbs.ts'
import { CALL, isReply, MESSAGE_TYPE, type EVENTS, type HttpCall, type HttpReply } from '../remote/http.ts'
import { LeasesTaken } from '../remote/leases-taken.ts'
import { pack, unpack } from '../remote/pack.ts'
import type { EventSource } from '../tabs/events.ts'
import { fromWire } from '../worker/wire.ts'
import { Order } from './order.ts'
import { remoteEvents } from './remote-events.ts'

/** What `new Headers` takes; Node has no name for it. */
type HeadersGiven = NonNullable<RequestInit['headers']>

export interface RemoteOptions {
  /** In place of the global one. */
  readonly fetch?: typeof fetch | undefined
  /** Sent with every call, such as who the caller is; asked for anew each time when it is a function. */
  readonly headers?: HeadersGiven | (() => HeadersGiven | PromiseLike<HeadersGiven>) | undefined
  /** After so many milliseconds without an answer a call is given up. 60,000 when absent. */
  readonly timeout?: number | undefined
}

/** A host elsewhere, and what is heard from it. */
export interface RemoteHost extends Host {
  readonly events: EventSource
  readonly isShared: true
}

const REMOTE: Names<RemoteOptions> = { fetch: true, headers: true, timeout: true }
const TIMEOUT = 60_000
/** A timer takes no more. */
const LONGEST = 2 ** 31 - 1
/** How often a call is made that may be made again. */
const MOST_TRIES = 2

/**
 * The store's side on a server that `createHandler` of `forkpoint/server` serves at this URL:
 * `openCheckpointer({ name, host: remoteHost(url) })`.
 */
export function remoteHost(url: string | URL, options: RemoteOptions = {}): RemoteHost {
  const { fetch: fetched, headers = {}, timeout = TIMEOUT } = checkOptions('remoteHost', options, REMOTE)
  checkFunction('fetch', fetched)
  if (!(Number.isFinite(timeout) && timeout > 0)) throw invalid('timeout', 'milliseconds, more than 0')
  const page = globalThis.location?.href
  if (!URL.canParse(url, page)) throw invalid('url', page ? 'a URL' : 'a whole URL, as no page is here')
  const base = new URL(url, page)
  if (!base.pathname.endsWith('/')) base.pathname += '/'
  const reach: Reach = {
    at: (name) => new URL(name, base),
    fetch: (input, init) => (fetched ?? fetch)(input, init),
    headers: async () => new Headers(typeof headers === 'function' ? await headers() : headers),
    timeout: Math.min(timeout, LONGEST),
  }
  let isClosed = false
  const order = new Order()
  const leases = new LeasesTaken()
  const stop = whenPageGoes(() => letGo(reach, leases))
  const call =
    (verb: Verb) =>
    async (request: unknown): Promise<unknown> => {
      if (isClosed) throw new CheckpointerError('CLOSED', 'This checkpointer is closed. Open it again.')
      const reply = await order.run(verb, request, () => sent(reach, { verb, request }))
      leases.note({ verb, request }, reply)
      return reply
    }
  const host = makeHost(call)
  return {
    ...host,
    events: remoteEvents(reach, host),
    // What a crash of this side could lose is not there: the other one has it when it has answered.
    owe: async () => undefined,
    settle: async () => {},
    rest: async () => {},
    isShared: true,
    // What is there goes on being served to others.
    async close() {
      isClosed = true
      stop()
    },
  }
}

/** Not when it may be shown again: then it goes on with what it holds. */
function whenPageGoes(work: () => void): () => void {
  if (typeof document === 'undefined') return () => {}
  const leave = ({ persisted }: PageTransitionEvent): void => (persisted ? undefined : work())
  addEventListener('pagehide', leave)
  return () => removeEventListener('pagehide', leave)
}

/** The server would give signs of life for whoever is gone: so that the next page need not wait for their end. */
function letGo(reach: Reach, leases: LeasesTaken): void {
  for (const request of leases.take()) {
    const body = pack({ verb: 'dropLease', request })
    reach
      .headers()
      .then((headers) => post(reach, headers, body, { keepalive: true }))
      .catch(() => {})
  }
}

/** What may be asked for again is, once, when it did not get through. */
async function sent(reach: Reach, message: Message): Promise<unknown> {
  const { verb } = message
  for (let tried = 1; ; tried++) {
    try {
      return await send(reach, message)
    } catch (error) {
      const isLost = CheckpointerError.is(error, 'WORKER_LOST')
      if (!isLost || !isAskedAgain(verb) || tried >= MOST_TRIES) throw error
    }
  }
}

type Message = HttpCall & { readonly verb: Verb }

/** How the other side is reached. */
export interface Reach {
  at(name: typeof CALL | typeof EVENTS): URL
  readonly fetch: typeof fetch
  headers(): Promise<Headers>
  readonly timeout: number
}

async function send(reach: Reach, message: Message): Promise<unknown> {
  const headers = await reach.headers()
  const reply = await answered(reach, headers, pack(message)).catch((cause: unknown) => {
    throw lost(`The server at ${reach.at(CALL).origin} did not answer.`, cause)
  })
  const { status, type, body } = reply
  if (type !== MESSAGE_TYPE) throw stranger(status)
  const answer = opened(body)
  if ('error' in answer) throw fromWire(answer.error)
  return answer.value
}

/** Whatever became of the call: an answer that cannot be read says nothing of it. */
function opened(body: Uint8Array): HttpReply {
  let cause: unknown
  try {
    const answer = unpack(body)
    if (isReply(answer)) return answer
  } catch (error) {
    cause = error
  }
  throw lost('What the server has answered did not arrive as it was sent.', cause)
}

async function answered(reach: Reach, headers: Headers, body: Uint8Array<ArrayBuffer>) {
  const response = await post(reach, headers, body, { signal: AbortSignal.timeout(reach.timeout) })
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    body: new Uint8Array(await response.arrayBuffer()),
  }
}

function post(
  reach: Reach,
  headers: Headers,
  body: Uint8Array<ArrayBuffer>,
  more: Pick<RequestInit, 'signal' | 'keepalive'>,
): Promise<Response> {
  headers.set('content-type', MESSAGE_TYPE)
  return reach.fetch(reach.at(CALL), { method: 'POST', headers, body, ...more })
}

/** Something stands between, or there is no handler at this URL. */
function stranger(status: number): CheckpointerError {
  if (status === 401 || status === 403)
    return new CheckpointerError('FORBIDDEN', `The server has refused the call (${status}).`, {
      outcome: 'none',
    })
  if (status === 413)
    return new CheckpointerError('TOO_LARGE', 'The server takes no message that large.', { outcome: 'none' })
  if (status === 404 || status === 405)
    return new CheckpointerError('UNSUPPORTED', `No checkpointer is served at this URL (${status}).`, {
      outcome: 'none',
    })
  return lost(
    `What answers at this URL does so with status ${status}, and not as a checkpointer does: look at the URL, and at what stands between.`,
  )
}

const lost = (message: string, cause?: unknown): CheckpointerError =>
  new CheckpointerError('WORKER_LOST', message, { outcome: 'unknown', cause })
