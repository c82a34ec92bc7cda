import type { Account } from '../threads/accounts.ts'
import type { Seen } from '../threads/follow.ts'
import type { Runs } from '../threads/runs.ts'

interface Around {
  readonly runs: Pick<Runs, 'isElsewhere'>
  readonly account: Account | undefined
}

/** Why a thread's run is spoken of between the conversation and the place to write, if it is. */
export type WhyShown = 'failed' | 'waiting' | 'elsewhere'

export function whyShown({ run, headRun }: Seen, { runs, account }: Around): WhyShown | undefined {
  // One that others have saved behind is history.
  if (run?.status === 'failed' && headRun === run.runId) return 'failed'
  if (run?.status === 'waiting') return 'waiting'
  // One that found no room looks as if it ran, since not even its end could be stored.
  return run && runs.isElsewhere(run) && !account?.offer ? 'elsewhere' : undefined
}

export const ELSEWHERE = 'This runs in another tab. You see every word of it here.'
