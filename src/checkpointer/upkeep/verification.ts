import type { Act, Problem } from '../../checkpoint.ts'
import type { Host, RepairReply, VerifyReply } from '../../operations/host.ts'
import { checkFunction, checkOptions, checkSignal, invalid, type Names } from '../options/options.ts'

export interface VerifyOptions {
  /**
   * Mends what was found: what is broken is set aside, never thrown away, and what can be derived is made again.
   * `'plan'` says what that would do, and changes nothing.
   */
  readonly repair?: boolean | 'plan' | undefined
  readonly signal?: AbortSignal | undefined
  /** Told, page by page, how many rows and states were checked so far. */
  readonly onProgress?: ((checked: number) => void) | undefined
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
  const acts: Act[] = []
  let checked = 0
  for await (const reply of repair === false ? verified(host) : repaired(host, repair === 'plan')) {
    problems.push(...reply.problems)
    if ('acts' in reply) acts.push(...reply.acts)
    checked += reply.checked
    onProgress?.(checked)
    signal?.throwIfAborted()
  }
  return { checked, problems, acts }
}

async function* verified(host: Host): AsyncGenerator<VerifyReply> {
  for (let from: VerifyReply['next']; ;) {
    const reply: VerifyReply = await host.verify(from ? { from } : {})
    yield reply
    if (!reply.next) return
    from = reply.next
  }
}

async function* repaired(host: Host, isPlan: boolean): AsyncGenerator<RepairReply> {
  for (let after: string | undefined; ;) {
    const reply: RepairReply = await host.repair({ isPlan, ...(after === undefined ? {} : { after }) })
    yield reply
    if (reply.next === undefined) return
    after = reply.next
  }
}
