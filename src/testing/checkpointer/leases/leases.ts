import { expect, it } from 'vitest'
import type { Lease } from '../../../checkpointer/leases/lease.ts'
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
