import { CheckpointerError } from '../errors.ts'
import type { Host } from '../operations/host.ts'

/** How one runner a thread is found among all tabs: by locks of the browser's, or by signs of life. */
export interface Claims {
  /** Waits for its turn, and takes the lease. Rejects with the reason of the signal when that is aborted. */
  claim(thread: string, options: ClaimOptions): Promise<Claim>
  /** Whether a runner that lives has the lease. Where only signs of life tell, they are watched for some seconds. */
  isHeld(thread: string, options: LookOptions): Promise<boolean>
}

export interface LookOptions {
  readonly signal?: AbortSignal | undefined
  /** Nobody waits for it: in Node it does not keep the process alive. */
  readonly isIdle?: boolean
}

export interface ClaimOptions {
  /** Take it from whoever has it. */
  readonly steal: boolean
  /** Reject with `BLOCKED` rather than wait. */
  readonly now: boolean
  readonly signal: AbortSignal
  /** Called when another is seen to have taken it. */
  readonly onLost: () => void
}

export interface Claim {
  readonly lease: string
  readonly token: number
  /** Whether it is still its holder's, as the storage has it. */
  holds(): Promise<boolean>
  /** Lets the next one have it. */
  end(): Promise<void>
  /** The same when it was lost, and there is nothing of it in the storage that could be let go of. */
  abandon(): void
}

export type LeaseHost = Pick<Host, 'takeLease' | 'keepLease' | 'dropLease' | 'leaseSign'>

export const blocked = (thread: string): CheckpointerError =>
  new CheckpointerError(
    'BLOCKED',
    `Another runner has the lease of thread '${thread}'. Wait for it, or take it over with { steal: true }.`,
    { thread },
  )
