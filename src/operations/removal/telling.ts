import { CheckpointerError } from '../../errors.ts'
import { threadOf } from '../../storage/keys.ts'
import type { Put } from '../../storage/storage.ts'
import { nameOf } from '../rows/checkpoint-row.ts'
import type { RemovalMade } from '../rows/gone-row.ts'
import { LOST_RACE } from '../store/commit.ts'
import { newGoneName, removedPut, takeBackGone, tellOwn, writeGone } from '../store/gone.ts'
import type { Store } from '../store/store.ts'
import type { RemovalPlan, Spread } from './plan.ts'

/**
 * Makes a removal that is to be remembered. It is written down first, in another partition than it is made in; so what
 * others are to hear of it holds only once the removal's own commit, which gets these puts, has said that it was made.
 */
export async function telling<T>(
  store: Store,
  partition: string,
  plan: RemovalPlan,
  spread: Spread,
  commit: (puts: readonly Put[]) => Promise<T | typeof LOST_RACE>,
): Promise<T | typeof LOST_RACE> {
  const by: RemovalMade = { partition, name: newGoneName() }
  const isOwn = spread === 'here'
  const threads = threadsOf(plan)
  const write = (until: RemovalMade | undefined): Promise<void> =>
    writeDown(store, plan, { name: by.name, isOwn, by: isOwn ? undefined : until })
  const takeBack = async (): Promise<void> => {
    for (const thread of threads) await takeBackGone(store, thread, by.name)
  }
  const isLate = await findsNoRoom(() => write(by))
  const puts = isOwn || isLate ? [] : threads.map((thread) => removedPut(thread, by))
  try {
    const result = await commit(puts)
    if (result === LOST_RACE) await takeBack()
    else if (isLate) await write(undefined).catch((cause: unknown) => store.warn(untold(plan, cause)))
    return result
  } catch (error) {
    // It is certain that it was not made. Else what is written down stays, and means nothing unless it was.
    if (CheckpointerError.is(error, 'QUOTA') || CheckpointerError.is(error, 'LEASE_LOST'))
      await takeBack().catch(() => {})
    throw error
  }
}

function untold(plan: RemovalPlan, cause: unknown): CheckpointerError {
  const [thread] = threadsOf(plan)
  return new CheckpointerError(
    'FAILED',
    'What was removed could not be written down for other stores, which keep it: there was no room. Delete it there too.',
    { ...(thread === undefined ? {} : { thread }), cause },
  )
}

function threadsOf({ losses, damaged = [] }: RemovalPlan): readonly string[] {
  const all = [...losses.map(({ thread }) => thread.facts.thread), ...damaged.map(({ key }) => threadOf(key))]
  return [...new Set(all)]
}

async function writeDown(
  store: Store,
  plan: RemovalPlan,
  gone: { readonly name: string; readonly isOwn: boolean; readonly by: RemovalMade | undefined },
): Promise<void> {
  for (const thread of threadsOf(plan)) {
    const saves = plan.losses
      .filter((loss) => loss.thread.facts.thread === thread)
      .flatMap(({ thread: { facts }, shown, seqs }) =>
        shown
          .filter((row) => seqs.has(row.seq) && !row.isDamaged)
          .map((row) => ({ namespace: facts.namespace, ...nameOf(row.facts) })),
      )
    if (saves.length > 0) await writeGone(store, thread, { ...gone, saves })
    // What retention had let go of a thread that is deleted is told too: nobody is to keep it.
    if (plan.ends === 'threads' && !gone.isOwn) await tellOwn(store, thread, gone.by)
  }
}

/** On a full disk it is done when the removal has made some. */
async function findsNoRoom(work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return false
  } catch (error) {
    if (!CheckpointerError.is(error, 'QUOTA')) throw error
    return true
  }
}
