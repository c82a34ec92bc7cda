import { CheckpointerError, type ErrorCode, type ErrorDetails } from '../errors.ts'
import type { StoreRetention } from '../operations/host.ts'
import type { Verb } from '../operations/verbs.ts'

/** The version of the wire. Both ends come from one package, unless a cache has served an old worker script. */
export const PROTOCOL = 1

export interface OpenMessage {
  readonly name: string
  readonly retention?: StoreRetention | undefined
  /** A lock that the page holds as long as it is there. */
  readonly presence?: string | undefined
}

/** What the worker exposes. Errors travel as data: comlink would strip their code and cause. */
export interface WireApi {
  hello(): Promise<{ readonly protocol: number }>
  open(message: OpenMessage): Promise<WireReply>
  call(verb: Verb, request: unknown): Promise<WireReply>
}

export interface WireReply {
  readonly value?: unknown
  readonly error?: WireError
}

/** What the worker says unasked: a failure that belongs to no call. */
export interface WireWarning {
  readonly forkpointWarning: WireError
}

export interface WireError {
  readonly code: ErrorCode
  readonly message: string
  readonly details: Omit<ErrorDetails, 'cause'>
  readonly cause?: string
}

export function toWire(error: unknown): WireError {
  if (!CheckpointerError.is(error))
    return { code: 'FAILED', message: String(error), details: {}, cause: describe(error) }
  return {
    code: error.code,
    message: error.message,
    details: aboutOf(error),
    ...(error.cause === undefined ? {} : { cause: describe(error.cause) }),
  }
}

/** Of what the other side says, no more than an error has: it may be anybody's server. */
export function fromWire({ code, message, details, cause }: WireError): CheckpointerError {
  return new CheckpointerError(code, message, {
    ...aboutOf(details),
    ...(cause === undefined ? {} : { cause: new Error(cause) }),
  })
}

const ABOUT = ['thread', 'namespace', 'seq', 'path', 'outcome', 'usage', 'loss'] as const

const aboutOf = (details: ErrorDetails): WireError['details'] =>
  Object.fromEntries(ABOUT.flatMap((name) => (details[name] === undefined ? [] : [[name, details[name]]])))

const describe = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error)
