/** What a runner writes under a lease: refused with `LEASE_LOST`, and not written, when that is no longer the one. */
export interface Fenced {
  /** The version of the lease's row. */
  readonly lease?: string
}

export interface TakeLeaseRequest {
  readonly thread: string
  /** Made for one claim: who asks with it again, as no answer came, is given what was taken with it. */
  readonly key: string
  /** Take it whoever has it. */
  readonly always?: boolean
  /** A lock of the browser's says that it is free: only one that gives signs of life, as no lock reaches it, has it. */
  readonly locked?: boolean
  /** Take it from a holder whose latest sign of life is this one: it was watched for long enough. */
  readonly silent?: string
}

export interface LeaseSignRequest {
  readonly thread: string
  /** Of signs of life alone, as with `takeLease`. */
  readonly locked?: boolean
}

export interface HeldLease {
  readonly thread: string
  readonly lease: string
}

export type TakeLeaseReply =
  | { readonly lease: string; readonly token: number }
  /** Another has it: its latest sign of life. */
  | { readonly sign: string }

export interface KeepLeaseRequest extends HeldLease {
  /** How often a sign of life is given without being asked again. */
  readonly times: number
  /** How many milliseconds lie between two of them. */
  readonly every: number
}
