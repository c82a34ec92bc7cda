import type { CheckpointerEvent } from '../checkpoint.ts'
import { CheckpointerError } from '../errors.ts'
import type { Host } from '../operations/host.ts'

/** As many threads are looked at when something may have been missed: those that were changed last. */
const MOST = 100
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
  const { items } = await host.threads({ limit: MOST })
  const changed = items.filter(({ updatedAt }) => updatedAt >= since - SKEW).reverse()
  for (const { thread, head } of changed)
    if (head) tell({ type: 'saved', thread, namespace: '', seq: head.seq, id: head.id })
  // A save in any of them is a change of the thread, which does not say in which.
  for (const { thread } of changed) await tellNamespaces(host, thread, tell)
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
