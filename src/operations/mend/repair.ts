import type { Act } from '../../checkpoint.ts'
import type { RepairReply, RepairRequest } from '../host.ts'
import { nextPage, type Paged, type RepairPages } from '../store/paged.ts'
import type { Store } from '../store/store.ts'
import { ThreadCache } from '../store/thread-cache.ts'
import { problemOf, type Finding } from '../verify/finding.ts'
import { overlay } from './overlay.ts'
import { repairing } from './repairing.ts'

/** One call looks for so long: then its caller may show progress, or stop. */
const A_CALL_MS = 50

/**
 * Goes on with a repair: looks at more, or mends one thing and tells it. So who stops between two calls knows all that
 * was done. A plan does it to a copy in memory.
 */
export function repair(store: Store, request: RepairRequest): Promise<RepairReply> {
  return nextPage(
    store,
    'repairing',
    request,
    async () => startRepair(request.isPlan ? copyOf(store) : store),
    (run) => run(),
    ({ next }) => next === undefined,
  )
}

function startRepair(store: Store): Paged<RepairPages> {
  const steps = repairing(store)
  const run = async (): Promise<RepairReply> => {
    const until = performance.now() + A_CALL_MS
    const problems: Finding[] = []
    let acts: readonly Act[] = []
    let checked = 0
    let next: RepairReply['next']
    do {
      const { value: step } = await steps.next()
      checked += step?.checked ?? 0
      problems.push(...(step?.problems ?? []))
      acts = step?.acts ?? acts
      next = step?.next
    } while (next === 'look' && acts.length === 0 && performance.now() < until)
    return { checked, problems: problems.map(problemOf), acts, ...(next ? { next } : {}) }
  }
  return { run, end: async () => void steps.return(undefined) }
}

const copyOf = (store: Store): Store => ({
  ...store,
  storage: overlay(store.storage),
  threads: new ThreadCache(),
  publish: () => {},
})
