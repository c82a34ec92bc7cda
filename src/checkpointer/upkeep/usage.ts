import type { Host, UsageReply } from '../../operations/host.ts'
import type { Names } from '../options/options.ts'

/** What the store holds. Bytes are those that were handed to the storage; on disk they may be fewer or more. */
export interface Usage {
  readonly bytes: number
  readonly threads: number
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

export interface ThreadUsage {
  readonly id: string
  readonly bytes: number
  readonly checkpoints: number
}

export interface UsageOptions {
  readonly signal?: AbortSignal | undefined
  /** Told, page by page, how many checkpoints were counted so far. */
  readonly onProgress?: ((checkpoints: number) => void) | undefined
}

export const USAGE: Names<UsageOptions> = { signal: true, onProgress: true }

/** Asks for one page after the other, and adds them up. */
export async function countUsage(
  host: Pick<Host, 'usage'>,
  { signal, onProgress }: UsageOptions,
): Promise<Omit<Usage, 'quota' | 'persisted'>> {
  const sum = { bytes: 0, threads: 0, checkpoints: 0 }
  const byThread = new Map<string, ThreadUsage>()
  for (let after: UsageReply['next']; ;) {
    signal?.throwIfAborted()
    const reply: UsageReply = await host.usage(after ? { after } : {})
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
