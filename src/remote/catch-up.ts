import type { CheckpointerEvent } from '../checkpoint.ts'
import { CheckpointerError } from '../errors.ts'
import type { Host, StoredSummary, ThreadsRequest } from '../operations/host.ts'

const PAGE = 100
/** So many are looked at when something may have been missed: of the threads that were changed last. */
const MOST_PAGES = 10
/** Clocks differ by so much at most, it is hoped; what is told twice does no harm. */
const SKEW = 60_000

type Tell = (event: CheckpointerEvent) => void
/** What is asked, to find out what was missed. */
export type AskedOfMissed = Pick<Host, 'threads' | 'namespaces' | 'head'>

/**
 * Tells what was saved while nothing could be heard, in all namespaces. What was deleted or pruned meanwhile is not
 * found out.
 */
export async function tellSince(host: AskedOfMissed, since: number, tell: Tell): Promise<void> {
  const changed = await changedSince(host, since - SKEW)
  for (const { thread, head } of changed)
    if (head) tell({ type: 'saved', thread, namespace: '', seq: head.seq, id: head.id })
  // A save in any of them is a change of the thread, which does not say in which.
  for (const { thread } of changed) await tellNamespaces(host, thread, tell)
}

/** The earliest first, as it happened. */
async function changedSince(host: AskedOfMissed, since: number): Promise<readonly StoredSummary[]> {
  const changed: StoredSummary[] = []
  const soon = Date.now() + SKEW
  let after: ThreadsRequest['after']
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const { items, next } = await host.threads({ limit: PAGE, ...(after ? { after } : {}) })
    changed.push(...items.filter(({ updatedAt }) => updatedAt >= since))
    if (!next || next.rank < since) break
    // What is dated into the future stands before all else for good: of that one page is enough.
    after = next.rank > soon ? { rank: soon, thread: '' } : next
  }
  return changed.reverse()
}

async function tellNamespaces(host: AskedOfMissed, thread: string, tell: Tell): Promise<void> {
  try {
    const others = (await host.namespaces({ thread })).filter((namespace) => namespace !== '')
    const heads = await Promise.all(others.map((namespace) => host.head({ thread, namespace })))
    heads.forEach(({ head }, index) => {
      const namespace = others[index] ?? ''
      if (head) tell({ type: 'saved', thread, namespace, seq: head.seq, id: head.id })
    })
  } catch (error) {
    // Whoever may see the list of threads may not be allowed this.
    if (!CheckpointerError.is(error, 'FORBIDDEN')) throw error
  }
}
