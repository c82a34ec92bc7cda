import type { Checkpointer } from '../../../checkpointer/checkpointer.ts'
import type { Lease } from '../../../checkpointer/leases/lease.ts'
import type { Thread } from '../../../checkpointer/thread.ts'
import { fill, type Talk } from '../ground.ts'

/** A thread with a lease that another checkpointer has taken over. */
export async function replaced(
  one: Checkpointer,
  two: Checkpointer,
): Promise<{ old: Thread<Talk>; oldLease: Lease; now: Thread<Talk>; lease: Lease }> {
  const [old, now] = [one.thread<Talk>('a'), two.thread<Talk>('a')]
  const oldLease = await old.lease()
  await fill(old, 3)
  const lease = await now.lease({ steal: true })
  return { old, oldLease, now, lease }
}
