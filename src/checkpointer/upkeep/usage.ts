import type { Host, UsageReply } from '../../operations/host.ts'
import { checkFunction, checkOptions, checkSignal, type Names } from '../options/options.ts'
import { untilAborted } from '../until-aborted.ts'

/** What the store holds. Bytes are those that were handed to the storage; on disk they may be fewer or more. */
export interface Usage {
  /** Of all rows. */
  readonly bytes: number
  /** How many there are. */
  readonly threads: number
  /** Each counted once. */
  readonly checkpoints: number
  /** The largest first. A checkpoint that forks share counts for the thread that it was saved to. */
  readonly perThread: readonly ThreadUsage[]
  /** What belongs to no thread: checkpoints of deleted threads that forks still show, and the store's own rows. */
  readonly others: { readonly bytes: number; readonly checkpoints: number }
  /** What the browser says it would allow the whole site, if it says anything. An estimate. */
  readonly quota?: number
  /** Whether the browser has promised not to evict this site's data to make room. */
  readonly persisted?: boolean
}

/** What one thread weighs. */
export interface ThreadUsage {
  /** The thread's id. */
  readonly id: string
  /** Of its own rows; what it shows of others counts for them. */
  readonly bytes: number
  /** How many were saved to it. */
  readonly checkpoints: number
}

/** For stores that take a while to count. */
export interface UsageOptions {
  /** Stops it: the call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Told, page by page, how many checkpoints were counted so far. */
  readonly onProgress?: ((checkpoints: number) => void) | undefined
}

const USAGE: Names<UsageOptions> = { signal: true, onProgress: true }

/** Asks for one page after the other, and adds them up. */
export async function countUsage(
  host: Pick<Host, 'usage'>,
  options: UsageOptions,
): Promise<Omit<Usage, 'quota' | 'persisted'>> {
  const { signal, onProgress } = checkOptions('usage', options, USAGE)
  checkSignal(signal)
  checkFunction('onProgress', onProgress)
  const sum = { bytes: 0, threads: 0, checkpoints: 0 }
  const byThread = new Map<string, ThreadUsage>()
  for (let after: UsageReply['next']; ;) {
    const request = after ? { after } : {}
    const reply: UsageReply = await untilAborted(signal, () => host.usage(request))
    sum.bytes += reply.bytes
    sum.threads += reply.threads
    sum.checkpoints += reply.checkpoints
    for (const { thread: id, bytes, checkpoints } of reply.perThread) {
      const before = byThread.get(id) ?? { bytes: 0, checkpoints: 0 }
      const after = { bytes: before.bytes + bytes, checkpoints: before.checkpoints + checkpoints }
      byThread.set(id, { id, ...after })
    }
    onProgress?.(sum.checkpoints)
    if (!reply.next) break
    after = reply.next
  }
  const perThread = [...byThread.values()].sort((a, b) => b.bytes - a.bytes)
  const owned = (of: 'bytes' | 'checkpoints'): number => perThread.reduce((all, each) => all + each[of], 0)
  const others = { bytes: sum.bytes - owned('bytes'), checkpoints: sum.checkpoints - owned('checkpoints') }
  return { ...sum, perThread, others }
}
