import { randomId } from '../ids.ts'
import { blocked, type Claim, type ClaimOptions, type LeaseHost } from './claims.ts'
import { pause } from './pause.ts'

/** Of signs of life; times in milliseconds. */
export interface Pace {
  /** Between two looks at what another holds. */
  readonly look: number
  /** How many looks must have found the same sign, until its giver counts as gone. Looks are counted, and no clock
   * is asked: after the machine has slept, both sides need a moment. */
  readonly silence: number
  /** Between two signs of life. */
  readonly beat: number
  /** How many more signs the store's side gives by itself. */
  readonly beats: number
}

/** A hidden page may ask for more but once a minute; others ask whenever they want to. */
const BEATS = typeof document === 'undefined' ? 3 : 90

export const PACE: Pace = { look: 500, silence: 12, beat: 2_000, beats: BEATS }

interface Known {
  /** The sign of one who was looked at before, for long enough. */
  readonly gone: string | undefined
  /** A lock says that it is free: then only signs of life count. */
  readonly locked?: boolean
}

/** Takes the lease once nobody who lives has it. */
export async function waitForTurn(
  host: LeaseHost,
  thread: string,
  { steal, now, signal }: ClaimOptions,
  { look, silence, gone, locked }: Pace & Known,
): Promise<Pick<Claim, 'lease' | 'token'>> {
  const key = randomId()
  let sign: string | undefined
  for (let looks = 0; ; looks++) {
    const silent = sign !== undefined && looks >= silence ? sign : gone
    const reply = await host.takeLease({
      thread,
      key,
      always: steal,
      ...(locked ? { locked } : {}),
      ...(silent === undefined ? {} : { silent }),
    })
    if ('lease' in reply) return reply
    if (now) throw blocked(thread)
    if (reply.sign !== sign) looks = 0
    sign = reply.sign
    await pause(look, signal)
  }
}
