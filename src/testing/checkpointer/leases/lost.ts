import { expect, it } from 'vitest'
import {
  expectStates,
  fill,
  listOf,
  on,
  range,
  rejection,
  seenByOthers,
  talk,
  talks,
  type Fresh,
  type Talk,
} from '../ground.ts'
import { replaced } from './taken-over.ts'

/** Laws about a lease that another has taken, or whose thread is gone: who had it writes nothing more. */
export function lostLeaseLaws(fresh: Fresh): void {
  it(
    'once it is stolen, nothing of the old one is written',
    on(fresh, async (one, ground) => {
      const { old, oldLease, now, lease } = await replaced(one, await ground.open())
      expect(lease.token).toBeGreaterThan(oldLease.token)
      const before = JSON.stringify(await listOf(now.history()))
      await rejection(old.save(talk(9, 'old')), 'LEASE_LOST')
      await rejection(old.save(talk(9, 'old'), { expect: 1 }), 'LEASE_LOST')
      await rejection(old.putWrites(3, 'task', [{ channel: 'c', value: 1 }]), 'LEASE_LOST')
      await rejection(old.prune({ keepLast: 1 }), 'LEASE_LOST')
      await rejection(old.deleteCheckpoints([1]), 'LEASE_LOST')
      await rejection(old.deleteRun('run'), 'LEASE_LOST')
      await rejection(old.delete(), 'LEASE_LOST')
      expect(JSON.stringify(await listOf(now.history()))).toBe(before)
      expect((await now.load())?.pendingWrites).toEqual([])
      await fill(now, 5, 4)
      await expectStates(one.thread<Talk>('a'), talks(range(1, 5)))
      expect((await one.verify()).problems).toEqual([])
    }),
  )

  it(
    'what the old one had under way when it was stolen is there whole, or refused',
    on(fresh, async (one, ground) => {
      const two = await ground.open()
      const [old, now] = [one.thread<Talk>('a'), two.thread<Talk>('a')]
      for (const round of range(1, 5)) {
        const lease = await old.lease({ steal: true })
        const saves = range(1, 10).map((count) => old.save(talk(count, `old ${round}`)))
        const stolen = await now.lease({ steal: true })
        const first = await now.save(talk(round, 'now'))
        const late = await Promise.allSettled(saves)
        for (const save of late)
          if (save.status === 'fulfilled') expect(save.value.seq).toBeLessThan(first.seq)
          else expect(save.reason).toMatchObject({ code: 'LEASE_LOST', thread: 'a' })
        expect((await now.load())?.state).toEqual(talk(round, 'now'))
        await Promise.all([lease.release(), stolen.release()])
      }
      expect((await one.verify()).problems).toEqual([])
    }),
  )

  it(
    'the one that lost it is told by its signal, and may take another',
    on(fresh, async (one, ground) => {
      const { old, oldLease, now, lease } = await replaced(one, await ground.open())
      await rejection(old.save(talk(9)), 'LEASE_LOST')
      expect(oldLease.signal.aborted).toBe(true)
      expect(oldLease.signal.reason).toMatchObject({ code: 'LEASE_LOST', thread: 'a' })
      await lease.release()
      expect(lease.signal.aborted).toBe(false)
      await rejection(old.save(talk(9)), 'LEASE_LOST')
      const again = await old.lease()
      await fill(old, 4, 4)
      await again.release()
      await fill(now, 5, 5)
      await expectStates(now, talks(range(1, 5)))
    }),
  )

  it(
    'deleting a thread ends the lease of another; who deletes under its own goes on',
    on(fresh, async (one, ground) => {
      const two = await ground.open()
      const thread = one.thread<Talk>('a')
      await fill(thread, 2)
      const fork = await thread.fork({ as: 'fork' })
      const lease = await thread.lease()
      const forkLease = await fork.lease()
      expect(await thread.delete()).toBe(true)
      await fill(thread, 2)
      expect(lease.signal.aborted).toBe(false)
      expect(await two.thread('a').delete()).toBe(true)
      await rejection(thread.save(talk(3)), 'LEASE_LOST')
      expect(await two.thread('a').load()).toBeUndefined()
      await fill(fork, 4, 3)
      expect(forkLease.signal.aborted).toBe(false)
      expect(await two.thread('fork').delete()).toBe(true)
      await rejection(fork.save(talk(3)), 'LEASE_LOST')
      expect((await one.usage()).checkpoints).toBe(0)
    }),
  )

  it(
    'a deletion elsewhere is told by the signal, before anything is written',
    on(fresh, async (one, ground) => {
      const two = await ground.open()
      const thread = one.thread<Talk>('a')
      await fill(thread, 2)
      await seenByOthers(ground, one)
      const lease = await thread.lease()
      const other = await one.thread('b').lease()
      expect(await two.thread('a').delete()).toBe(true)
      await expect.poll(() => lease.signal.aborted, { timeout: 10_000 }).toBe(true)
      expect(lease.signal.reason).toMatchObject({ code: 'LEASE_LOST', thread: 'a' })
      expect(other.signal.aborted).toBe(false)
      await rejection(thread.save(talk(3)), 'LEASE_LOST')
      const next = await two.thread<Talk>('a').lease({ wait: 10_000 })
      await fill(two.thread<Talk>('a'), 1)
      await lease.release()
      await fill(thread, 3, 3)
      expect(next.signal.aborted).toBe(false)
    }),
  )

  it(
    'the end of everything elsewhere is told by the signal, before anything is written; who is served ends nothing',
    on(fresh, async (one, ground) => {
      const two = await ground.open({ onWarning: () => {} })
      const lease = await two.thread('a').lease()
      await two.thread('a').save(1)
      await seenByOthers(ground, two)
      if (ground.isServed) {
        await rejection(one.destroy(), 'UNSUPPORTED')
        return void (await two.thread('a', { lease }).save(2))
      }
      await one.destroy()
      await expect.poll(() => lease.signal.aborted, { timeout: 10_000 }).toBe(true)
      expect(lease.signal.reason).toMatchObject({ code: 'LEASE_LOST', thread: 'a' })
      await rejection(two.thread('a', { lease }).save(2), 'LEASE_LOST')
    }),
  )
}
