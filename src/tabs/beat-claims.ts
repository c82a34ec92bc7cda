import { CheckpointerError, isTaken } from '../errors.ts'
import type { HeldLease, KeepLeaseRequest } from '../operations/host.ts'
import { unref } from '../platform/unref.ts'
import type { Claims, LeaseHost } from './claims.ts'
import { SignsOfLife } from './signs-of-life.ts'
import { PACE, waitForTurn, type Pace } from './turn.ts'

/**
 * By signs of life, where there are no locks: over plain http, or in a storage that the browser knows nothing of.
 * The holder has a row put anew time after time; who waits looks at it, and takes over when it no longer changes.
 */
export function beatClaims(
  host: LeaseHost,
  onWarning: (warning: CheckpointerError) => void,
  pace = PACE,
): Claims {
  const others = new SignsOfLife(host, pace)
  return {
    isHeld: (thread, options) => others.areGiven(thread, options),
    async claim(thread, options) {
      const { lease, token } = await waitForTurn(host, thread, options, {
        ...pace,
        gone: others.lastOfGone(thread),
      })
      const held = { thread, lease }
      const stop = keepAlive(host, held, options.onLost, onWarning, pace)
      return {
        lease,
        token,
        holds: () => host.keepLease(signs(held, pace)),
        abandon: stop,
        end() {
          stop()
          return host.dropLease(held)
        },
      }
    },
  }
}

const signs = (held: HeldLease, { beat, beats }: Pace): KeepLeaseRequest => ({
  ...held,
  every: beat,
  times: beats,
})

/** Gives signs of life until it is stopped, or another has the lease. */
function keepAlive(
  host: LeaseHost,
  held: HeldLease,
  onLost: () => void,
  onWarning: (warning: CheckpointerError) => void,
  pace: Pace,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOver = false
  let isFailing = false
  const keep = async (): Promise<void> => {
    try {
      const holds = await host.keepLease(signs(held, pace))
      isFailing = false
      if (!holds && !isOver) return onLost()
    } catch (cause) {
      // A worker that died may be replaced in time. If not, the next write is refused.
      if (!isOver && isTaken(cause)) onWarning(cause)
      else if (!isOver && !isFailing) onWarning(notKept(held.thread, cause))
      isFailing = true
    }
    if (isOver) return
    timer = setTimeout(() => void keep(), pace.beat)
    unref(timer)
  }
  void keep()
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}

const notKept = (thread: string, cause: unknown): CheckpointerError =>
  new CheckpointerError(
    'FAILED',
    `The lease of thread '${thread}' could not be kept alive just now. Another runner may take it over.`,
    { thread, cause },
  )
