import type { Family } from './store/family.ts'
import type { PruneRequest, RemovedReply } from './host.ts'
import type { LaneRows } from './removal/read/lane-rows.ts'
import type { RemovalPlan } from './removal/plan.ts'
import { remove } from './removal/removal.ts'
import { toRemove } from './removal/rules.ts'
import type { Store } from './store/store.ts'
import { needThread, noThread } from './store/threads.ts'

export async function prune(store: Store, request: PruneRequest): Promise<RemovedReply> {
  const { thread, namespace, most = Number.POSITIVE_INFINITY } = request
  const reply = await store.inTurn({ thread, namespace }, async () => {
    const { partition } = await needThread(store, request)
    const choose = async (family: Family, rows: LaneRows): Promise<RemovalPlan> => {
      const row = family.threads.find(({ facts }) => facts.thread === thread && facts.namespace === namespace)
      if (!row) throw noThread(request)
      const shown = await rows.shownBy(row.facts.segments)
      const seqs = toRemove(shown, request, row.facts)
      return { losses: [{ thread: row, shown, seqs }], dryRun: request.dryRun || seqs.size > most }
    }
    return remove(store, partition, choose, { most })
  })
  if (reply.removed.length > 0 && reply.left === 0) {
    store.publish({ type: 'pruned', thread, namespace, seqs: reply.removed.map(({ seq }) => seq) })
  }
  return reply
}
