import { birthKey, threadKey } from '../../../storage/keys.ts'
import type { Batch, Check } from '../../../storage/storage.ts'
import { rowName } from '../../frames/frames.ts'
import type { CheckpointRow } from '../../rows/checkpoint-row.ts'
import { threadPut, withWrites } from '../../rows/thread-row.ts'
import type { Family } from '../../store/family.ts'
import type { Store } from '../../store/store.ts'
import { checkThread } from '../../store/threads.ts'
import { lanesOf, viewsAfter, withHeads, type ThreadLoss } from '../losses.ts'
import { isEnded, type RemovalPlan } from '../plan.ts'
import { dropWrites, joinBatches } from './drop-rows.ts'
import { dropLeases } from './leases.ts'
import type { Rewritten } from './rebase.ts'
import type { Removing } from './removing.ts'

/** What a commit does to the threads that lose something, when these rows go with it and these were written anew. */
export type Viewing = (dropped: readonly CheckpointRow[], rewritten?: Rewritten) => Batch

/** Threads as the removal leaves them, or their end; with their pending writes and leases, and what others are told. */
export async function viewing({ store, family, plan, outcome }: Removing): Promise<Viewing> {
  const { partition } = family
  const { losses } = plan
  const dropping = await Promise.all(losses.map((loss) => dropWrites(store, partition, loss)))
  const threads = (dropped: readonly CheckpointRow[], rewritten: Rewritten): Batch => {
    const goes = new Set(dropped.map(({ lane, seq }) => rowName(lane, seq)))
    const facts = viewsAfter(family, losses, (lane, seq) => !goes.has(rowName(lane, seq)))
    const puts = withHeads(facts, rewritten).flatMap((each, i) =>
      isEnded(plan, losses[i] as ThreadLoss)
        ? []
        : threadPut(partition, withWrites(each, -(dropping[i]?.count ?? 0))),
    )
    return plan.ends ? joinBatches(endOf(store, family, plan), { puts }) : { puts }
  }
  const beside = joinBatches(
    { checks: threadChecks(plan), puts: outcome.told },
    ...dropping.map(({ batch }) => batch),
  )
  return (dropped, rewritten = new Map()) => joinBatches(threads(dropped, rewritten), beside)
}

/** The rows of threads that go, and the births of their lanes; with their leases, where nothing is left of them. */
function endOf(store: Store, family: Family, plan: RemovalPlan): Batch {
  const { damaged = [] } = plan
  const ended = plan.losses.filter((loss) => isEnded(plan, loss))
  const rows = [
    ...damaged.map(({ key }) => key),
    ...ended.map(({ thread: { facts } }) => threadKey(facts.thread, facts.namespace)),
  ]
  return joinBatches(plan.ends === 'threads' ? dropLeases(store, plan) : {}, {
    deletes: [
      ...rows.map((key) => ({ table: 'threads', key }) as const),
      ...lanesOf(family, ended, damaged).map((lane) => ({ table: 'meta', key: birthKey(lane) }) as const),
    ],
  })
}

/** The threads' rows are as they were read. */
export const threadChecks = ({ losses, damaged = [] }: RemovalPlan): Check[] => [
  ...losses.map(({ thread }) => checkThread(thread)),
  ...damaged.map(({ key, version }) => ({ table: 'threads', key, version }) as const),
]
