import type { Act, Problem } from '../../checkpoint.ts'
import type { Host, RepairReply, VerifyReply } from '../../operations/host.ts'
import { newId } from '../new-id.ts'
import { checkFunction, checkOptions, checkSignal, invalid, type Names } from '../options/options.ts'
import { untilAborted } from '../until-aborted.ts'

/** Whether what is found is mended, and how far the check has come. */
export interface VerifyOptions {
  /**
   * Mends what was found: what is broken is set aside, never thrown away, and what can be derived is made again.
   * `'plan'` says what that would do, and changes nothing.
   */
  readonly repair?: boolean | 'plan' | undefined
  /** Stops at once, a repair between two acts: what was done is done, and told; all else is as it was. */
  readonly signal?: AbortSignal | undefined
  /** Told, page by page, how many rows and states were checked so far, and all that a repair has done. */
  readonly onProgress?: ((checked: number, acts: readonly Act[]) => void) | undefined
}

/** What `verify` found, and did. */
export interface Verification {
  /** How many rows and states were checked. */
  readonly checked: number
  /** All that was wrong, before a repair. */
  readonly problems: readonly Problem[]
  /** What the repair did, or would do. */
  readonly acts: readonly Act[]
}

const VERIFY: Names<VerifyOptions> = { repair: true, signal: true, onProgress: true }

export async function verification(host: Host, options: VerifyOptions): Promise<Verification> {
  const { repair = false, signal, onProgress } = checkOptions('verify', options, VERIFY)
  checkSignal(signal)
  checkFunction('onProgress', onProgress)
  if (repair !== 'plan' && typeof repair !== 'boolean') throw invalid('repair', "true, false or 'plan'")
  const problems: Problem[] = []
  let acts: readonly Act[] = []
  let checked = 0
  const replies = repair === false ? verified(host, signal) : repaired(host, repair === 'plan', signal)
  for await (const reply of replies) {
    problems.push(...reply.problems)
    if ('acts' in reply) acts = [...acts, ...reply.acts]
    checked += reply.checked
    onProgress?.(checked, acts)
  }
  return { checked, problems, acts }
}

async function* verified(host: Host, signal: AbortSignal | undefined): AsyncGenerator<VerifyReply> {
  for (let from: VerifyReply['next']; ;) {
    const request = from ? { from } : {}
    const reply: VerifyReply = await untilAborted(signal, () => host.verify(request))
    yield reply
    if (!reply.next) return
    from = reply.next
  }
}

async function* repaired(
  host: Host,
  isPlan: boolean,
  signal: AbortSignal | undefined,
): AsyncGenerator<RepairReply> {
  const id = newId()
  let next: RepairReply['next'] = 'look'
  try {
    for (let page = 0; next; page++) {
      const ask = (): Promise<RepairReply> => host.repair({ id, page, isPlan })
      signal?.throwIfAborted()
      // An act that has begun is waited for, so that it is told.
      const reply: RepairReply = await (next === 'mend' && !isPlan ? ask() : untilAborted(signal, ask))
      next = reply.next
      yield reply
    }
  } finally {
    // Not waited for: who stops is to be told at once.
    if (next) void host.endCarry({ id }).catch(() => {})
  }
}
