import type { Checkpointer } from '../checkpointer/checkpointer.ts'
import { hostOf } from '../checkpointer/host-of.ts'
import { checkFunction, checkOptions, invalid, type Names } from '../checkpointer/options/options.ts'
import { CheckpointerError, reportFailure } from '../errors.ts'
import { hearingOf } from '../hearing.ts'
import type { Host } from '../operations/host.ts'
import { onlyReads as readsAlone, type Verb } from '../operations/verbs.ts'
import { GuardedHost } from '../remote/guard.ts'
import { CALL, EVENTS, MESSAGE_TYPE, type HttpCall, type HttpReply } from '../remote/http.ts'
import { pack, unpackCall } from '../remote/pack.ts'
import { isJsonObject } from '../state/json.ts'
import { bodyOf } from './body.ts'
import { eventStream } from './event-stream.ts'
import { refusalOf } from './refusal.ts'

/** One thing that a caller wants to do. */
export interface Access {
  readonly request: Request
  /** `load`, `save`, `prune` …, the store's own names; `'events'` to hear of changes. */
  readonly verb: Verb | 'events'
  /**
   * The thread that it touches. Absent when it touches the whole store: `usage`, `verify`, all of an export; and when a
   * stream of events is opened, of which each is then asked for by its thread.
   */
  readonly thread: string | undefined
}

/** Whether this changes nothing of what anybody sees: what a caller may do who may only look. */
export const onlyReads = (verb: Access['verb']): boolean => verb === 'events' || readsAlone(verb)

export interface HandlerOptions {
  /**
   * Asked for every thread that a call touches, before anything is read or written of it. Only `true` lets it
   * through. Of a list, what is not allowed is left out.
   */
  readonly authorize: (access: Access) => boolean | PromiseLike<boolean>
  /** The largest message that is taken, in bytes. 64 MiB when absent. */
  readonly maxBytes?: number | undefined
  /** Told of failures that are not the caller's. The console when absent. */
  readonly onError?: ((error: CheckpointerError) => void) | undefined
}

/** One for all callers, or one for each: of a user, of a tenant, of a Durable Object. */
export type Served = Checkpointer | ((request: Request) => Checkpointer | PromiseLike<Checkpointer>)

const HANDLER: Names<HandlerOptions> = { authorize: true, maxBytes: true, onError: true }
const MAX_BYTES = 64 * 2 ** 20

/**
 * Serves a checkpointer to `remoteHost` of `forkpoint/client`, as a `fetch` handler: for Workers, Deno, Bun, Hono, and
 * Node with `nodeListener`. It answers POST `…/call` and GET `…/events`, wherever it is mounted.
 */
export function createHandler(
  checkpointer: Served,
  options: HandlerOptions,
): (request: Request) => Promise<Response> {
  const given = checkOptions('createHandler', options, HANDLER)
  if (typeof (given.authorize as unknown) !== 'function')
    throw invalid('authorize', 'a function: without it anyone could read and write everything', 'authorize')
  checkFunction('onError', given.onError)
  const { maxBytes = MAX_BYTES } = given
  if (!(maxBytes > 0)) throw invalid('maxBytes', 'a number of bytes')
  if (typeof checkpointer !== 'function') hostOf(checkpointer)
  return (request) => answer(request, { ...given, checkpointer, maxBytes })
}

interface Serving extends HandlerOptions {
  readonly checkpointer: Served
  readonly maxBytes: number
}

async function answer(request: Request, serving: Serving): Promise<Response> {
  const name = new URL(request.url).pathname.split('/').at(-1)
  const named = new Set<string>()
  try {
    if (name === CALL && request.method === 'POST') return await call(request, named, serving)
    if (name === EVENTS && request.method === 'GET') return await events(request, serving)
    return new Response(null, { status: name === CALL || name === EVENTS ? 405 : 404 })
  } catch (error) {
    return refusal(error, named, serving)
  }
}

/** `named` gets the threads that the caller has named, and is allowed. */
async function call(request: Request, named: Set<string>, serving: Serving): Promise<Response> {
  if (request.headers.get('content-type') !== MESSAGE_TYPE)
    throw new CheckpointerError('INVALID', `A call has the content type ${MESSAGE_TYPE}.`)
  const message = unpackCall(await bodyOf(request, serving.maxBytes))
  if (!isJsonObject(message)) throw new CheckpointerError('INVALID', 'A call is an object with a verb.')
  const { verb, request: asked } = message as Partial<HttpCall>
  const guarded = guardedOf(hostOf(await servedTo(request, serving)))
  const value = await guarded.call(verb, asked, async (what, thread) => {
    const isAllowed = await serving.authorize({ request, verb: what, thread })
    if (isAllowed === true && thread !== undefined) named.add(thread)
    return isAllowed
  })
  return reply(200, { value })
}

async function events(request: Request, serving: Serving): Promise<Response> {
  const isAllowed = async (thread: string | undefined): Promise<boolean> =>
    (await serving.authorize({ request, verb: 'events', thread })) === true
  // A stream is held open: not for just anybody.
  if (!(await isAllowed(undefined)))
    throw new CheckpointerError('FORBIDDEN', 'Events are not for this caller.', { outcome: 'none' })
  const checkpointer = await servedTo(request, serving)
  return eventStream({
    subscribe: (listener) => checkpointer.subscribe(listener),
    onGap: hearingOf(checkpointer).onGap,
    isAllowed,
    signal: request.signal,
  })
}

const servedTo = async (request: Request, { checkpointer }: Serving): Promise<Checkpointer> =>
  typeof checkpointer === 'function' ? checkpointer(request) : checkpointer

/** One for each host: an export goes on over several requests. */
const guards = new WeakMap<Host, GuardedHost>()

function guardedOf(host: Host): GuardedHost {
  const guard = guards.get(host) ?? new GuardedHost(host)
  guards.set(host, guard)
  return guard
}

function refusal(thrown: unknown, named: ReadonlySet<string>, serving: Serving): Response {
  const { status, error, failure } = refusalOf(thrown, named)
  if (failure) report(failure, serving)
  return reply(status, { error })
}

function report(error: CheckpointerError, { onError = console.error }: Serving): void {
  try {
    onError(error)
  } catch (failure) {
    reportFailure(failure)
  }
}

const reply = (status: number, value: HttpReply): Response =>
  new Response(pack(value), {
    status,
    headers: {
      'content-type': MESSAGE_TYPE,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
  })
