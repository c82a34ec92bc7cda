import { expect, it } from 'vitest'
import type { Checkpointer } from '../../checkpointer/checkpointer.ts'
import type { Lease } from '../../checkpointer/leases/lease.ts'
import type { Thread } from '../../checkpointer/thread.ts'
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
} from './ground.ts'

/** What a call has come to by now; nothing while it waits. */
function watched(call: Promise<Lease>): { lease?: Lease; error?: unknown } {
  const outcome: { lease?: Lease; error?: unknown } = {}
  call.then(
    (lease) => (outcome.lease = lease),
    (error: unknown) => (outcome.error = error),
  )
  return outcome
}

const aWhile = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 100))

/** A thread with a lease that another checkpointer has taken over. */
async function replaced(
  one: Checkpointer,
  two: Checkpointer,
): Promise<{ old: Thread<Talk>; oldLease: Lease; now: Thread<Talk>; lease: Lease }> {
  const [old, now] = [one.thread<Talk>('a'), two.thread<Talk>('a')]
  const oldLease = await old.lease()
  await fill(old, 3)
  const lease = await now.lease({ steal: true })
  return { old, oldLease, now, lease }
}

/** Laws about leases: one runner a thread among all that share a database. */
export function leaseLaws(fresh: Fresh): void {
  it(
    'one has it at a time; whoever waits has it next',
    on(fresh, async (one, ground) => {
      const two = await ground.open()
      const lease = await one.thread('a').lease()
      const waiting = watched(two.thread('a').lease())
      await aWhile()
      expect(waiting).toEqual({})
      await lease.release()
      await expect.poll(() => waiting.lease?.thread, { timeout: 5_000 }).toBe('a')
      await rejection(one.thread('a').lease({ wait: false }), 'BLOCKED')
      await waiting.lease?.release()
    }),
  )

  it(
    'of many that want it at once, all have it, and never two',
    on(fresh, async (one, ground) => {
      const all = [one, await ground.open(), await ground.open()]
      let running = 0
      let most = 0
      const tokens: number[] = []
      await Promise.all(
        all.map(async (checkpointer) => {
          const thread = checkpointer.thread<Talk>('a')
          const lease = await thread.lease()
          tokens.push(lease.token)
          most = Math.max(most, ++running)
          await thread.save(talk(tokens.length))
          running--
          await lease.release()
        }),
      )
      expect(most).toBe(1)
      expect(new Set(tokens).size).toBe(3)
      await expectStates(one.thread<Talk>('a'), talks([1, 2, 3]))
    }),
  )

  it(
    'threads whose ids look alike have leases of their own, and so do checkpointers of no such thread yet',
    on(fresh, async (one, ground) => {
      const two = await ground.open()
      for (const id of ['a', 'A', 'a:', '["a"]', 'a\u0000', 'ä', '\ud800', ' ']) {
        expect((await one.thread(id).lease({ wait: false })).thread).toBe(id)
        await rejection(two.thread(id).lease({ wait: false }), 'BLOCKED')
      }
      expect(await listOf(one.threads())).toEqual([])
      expect((await one.verify()).problems).toEqual([])
    }),
  )

  it(
    'tokens rise from lease to lease, also when the thread was deleted in between',
    on(fresh, async (one, ground) => {
      const two = await ground.open()
      const tokens: number[] = []
      for (const checkpointer of [one, two, one, two]) {
        const thread = checkpointer.thread<Talk>('a')
        const lease = await thread.lease({ steal: true })
        tokens.push(lease.token)
        await thread.save(talk(1))
        if (tokens.length === 2) await thread.delete()
        if (tokens.length === 3) await lease.release()
      }
      expect(tokens).toEqual([...tokens].sort((a, b) => a - b))
      expect(new Set(tokens).size).toBe(4)
    }),
  )

  it(
    'who waits can be told to stop, and leaves nothing behind',
    on(fresh, async (one, ground) => {
      const two = await ground.open()
      const lease = await one.thread('a').lease()
      const stop = new AbortController()
      const reason = new Error('no longer needed')
      const waiting = watched(two.thread('a').lease({ signal: stop.signal }))
      await aWhile()
      stop.abort(reason)
      await expect.poll(() => waiting.error).toBe(reason)
      await expect(two.thread('a').lease({ signal: stop.signal })).rejects.toBe(reason)
      await rejection(two.thread('a').lease({ wait: false }), 'BLOCKED')
      await rejection(two.thread('a').lease({ wait: 20 }), 'BLOCKED')
      await rejection(two.thread('a').lease({ wait: 0 }), 'BLOCKED')
      await lease.release()
      await (await one.thread('a').lease({ wait: false })).release()
      await (await one.thread('a').lease({ wait: 0 })).release()
    }),
  )

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
    'other handles write without it; those that are given it write under it',
    on(fresh, async (one, ground) => {
      const two = await ground.open()
      const { old, oldLease, now, lease } = await replaced(one, two)
      await fill(one.thread<Talk>('a'), 4, 4)
      const part = one.thread<Talk>('a', { namespace: 'part', lease: oldLease })
      await rejection(part.save(talk(1)), 'LEASE_LOST')
      const nowPart = two.thread<Talk>('a', { namespace: 'part', lease })
      await fill(nowPart, 2)
      await oldLease.release()
      await fill(old, 5, 5)
      await seenByOthers(ground, one)
      await expectStates(now, talks(range(1, 5)))
      await expectStates(part, talks([1, 2]))
      expect(() => two.thread('b', { lease })).toThrow(expect.objectContaining({ code: 'INVALID' }))
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

  it(
    'release waits for what is being written, and is done once',
    on(fresh, async (one, ground) => {
      const two = await ground.open()
      const thread = one.thread<Talk>('a')
      const lease = await thread.lease()
      const saves = range(1, 5).map((count) => thread.save(talk(count)))
      await Promise.all([lease.release(), lease.release(), lease[Symbol.asyncDispose]()])
      expect((await Promise.all(saves)).map(({ seq }) => seq)).toEqual(range(1, 5))
      const next = await two.thread('a').lease({ wait: false })
      await lease.release()
      await rejection(one.thread('a').lease({ wait: false }), 'BLOCKED')
      expect(next.signal.aborted).toBe(false)
    }),
  )

  it(
    'close releases what is held, and ends what waits',
    on(fresh, async (one, ground) => {
      const two = await ground.open()
      const thread = one.thread<Talk>('a')
      const lease = await thread.lease()
      const other = await two.thread('b').lease()
      const waiting = watched(one.thread('b').lease())
      await aWhile()
      const saving = thread.save(talk(1))
      await one.close()
      expect((await saving).seq).toBe(1)
      expect(waiting.error).toMatchObject({ code: 'CLOSED' })
      await rejection(thread.lease(), 'CLOSED')
      await (await two.thread('a').lease({ wait: false })).release()
      await other.release()
      await (await two.thread('b').lease({ wait: false })).release()
      await lease.release()
    }),
  )

  it(
    'what a lease cannot be is refused',
    on(fresh, async (one) => {
      const thread = one.thread('a')
      for (const options of [
        { wait: -1 },
        { wait: 'long' },
        { steal: 1 },
        { signal: {} },
        { stael: true },
        1,
      ])
        await rejection(thread.lease(options as never), 'INVALID')
      expect(() => one.thread('a', { lease: {} as never })).toThrow(
        expect.objectContaining({ code: 'INVALID' }),
      )
      await (await thread.lease({ wait: false })).release()
    }),
  )
}
