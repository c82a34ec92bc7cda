import { CheckpointerError, isTaken } from '../errors.ts'
import type { HeldLease, KeepLeaseRequest } from '../operations/host.ts'
import { blocked, type Claim, type ClaimOptions, type Claims, type LeaseHost } from './claims.ts'
import { pause } from './pause.ts'
import { SignsOfLife } from './signs-of-life.ts'

/** Of signs of life; times in milliseconds. */
interface Pace {
  /** Between two looks at what another holds. */
  readonly look: number
  /** How many looks must have found the same sign, until its giver counts as gone. Looks are counted, and no clock
   * is asked: after the machine has slept, both sides need a moment. */
  readonly silence: number
  /** Between two signs, */
  readonly beat: number
  /** and how many more the store's side gives by itself. A hidden page may ask for more but once a minute. */
  readonly beats: number
}

const PACE: Pace = { look: 500, silence: 12, beat: 2_000, beats: 90 }

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

async function waitForTurn(
  host: LeaseHost,
  thread: string,
  { steal, now, signal }: ClaimOptions,
  { look, silence, gone }: Pace & { readonly gone: string | undefined },
): Promise<Pick<Claim, 'lease' | 'token'>> {
  let sign: string | undefined
  for (let looks = 0; ; looks++) {
    const silent = sign !== undefined && looks >= silence ? sign : gone
    const reply = await host.takeLease({ thread, always: steal, ...(silent === undefined ? {} : { silent }) })
    if ('lease' in reply) return reply
    if (now) throw blocked(thread)
    if (reply.sign !== sign) looks = 0
    sign = reply.sign
    await pause(look, signal)
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
    // In Node it would keep the process alive.
    ;(timer as { unref?: () => void }).unref?.()
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
