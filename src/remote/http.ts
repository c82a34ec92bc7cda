/** What both ends of the wire over HTTP agree on. */
import { isJsonObject } from '../state/json.ts'
import type { WireError } from '../worker/wire.ts'

/** Rises when an older end would misread a newer one. */
const VERSION = 1
/** No form and no plain script can send it across origins without asking first. */
export const MESSAGE_TYPE = `application/vnd.forkpoint.v${VERSION}`

export const CALL = 'call'
export const EVENTS = 'events'

/** How often a stream of events says that it is still there, in milliseconds. */
export const SIGN_EVERY = 15_000

export interface HttpCall {
  readonly verb: string
  readonly request?: unknown
}

export type HttpReply = { readonly value?: unknown } | { readonly error: WireError }

export function isReply(value: unknown): value is HttpReply {
  if (!isJsonObject(value)) return false
  if (!('error' in value)) return true
  const error: unknown = value['error']
  if (!isJsonObject(error) || !isJsonObject(error['details'])) return false
  return typeof error['code'] === 'string' && typeof error['message'] === 'string'
}
