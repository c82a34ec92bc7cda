import { expect, it, onTestFinished } from 'vitest'
import type { Checkpointer } from '../../../checkpointer/checkpointer.ts'
import {
  expectStates,
  fill,
  listOf,
  on,
  range,
  seenByOthers,
  seqsOf,
  talk,
  talks,
  type Fresh,
  type Talk,
} from '../ground.ts'

/** Longer than work in the background takes when nobody disturbs it. */
const SOON = 5_000
/** So many looks that find the same. */
const STILL = 15

/** What the background does is there some time later. */
async function soon<T>(look: () => Promise<T>, holds: (found: T) => boolean): Promise<T> {
  for (const until = Date.now() + SOON; ;) {
    const found = await look()
    if (holds(found) || Date.now() > until) return found
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** What is left when so few are left, and nothing more has gone for a while. */
async function whenLetGo(checkpointer: Checkpointer, id: string, most: number): Promise<number[]> {
  const thread = checkpointer.thread<Talk>(id)
  let same = 0
  let before = -1
  return soon(
    () => seqsOf(thread.history({ order: 'oldest' })),
    (seqs) => {
      same = seqs.length === before ? same + 1 : 0
      before = seqs.length
      return seqs.length <= most && same >= STILL
    },
  )
}

/** What goes by itself, and what never does. */
export function retainingLaws(fresh: Fresh): void {
  it(
    'nothing goes by itself unless that was asked for',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Talk>('a')
      await fill(thread, 40)
      await new Promise((resolve) => setTimeout(resolve, 100))
      await expectStates(thread, talks(range(1, 40)))
    }),
  )

  it(
    'with a policy old checkpoints go some time later, and what stays is whole',
    on(fresh, async (_, ground) => {
      const checkpointer = await ground.open({ retention: { keepLast: 5 } })
      const thread = checkpointer.thread<Talk>('a')
      const pruned: number[] = []
      const stop = checkpointer.subscribe((event) => {
        if (event.type === 'pruned') pruned.push(...event.seqs)
      })
      onTestFinished(stop)
      await fill(thread, 40)
      const left = await whenLetGo(checkpointer, 'a', 15)
      expect(left.length).toBeGreaterThanOrEqual(5)
      expect(left.length).toBeLessThanOrEqual(15)
      expect(left).toEqual(range(41 - left.length, 40))
      await expectStates(thread, talks(left))
      expect((await checkpointer.verify()).problems).toEqual([])
      expect(
        await soon(
          async () => pruned.length,
          (count) => count === 40 - left.length,
        ),
      ).toBe(40 - left.length)
      await fill(thread, 45, 41)
      expect((await thread.load())?.state).toEqual(talk(45))
    }),
  )

  it(
    'what has a label, and each so many, are held by a policy',
    on(fresh, async (_, ground) => {
      const checkpointer = await ground.open({ retention: { keepLast: 3, keepEvery: 10 } })
      const thread = checkpointer.thread<Talk>('a')
      await fill(thread, 4)
      await thread.save(talk(5), { label: 'keep' })
      await fill(thread, 44, 6)
      const left = await whenLetGo(checkpointer, 'a', 18)
      expect(left.slice(0, 5)).toEqual([5, 10, 20, 30, left[4]])
      expect(left).toContain(44)
      await expectStates(thread, talks(left))
    }),
  )

  it(
    'what is too old goes also from threads that nobody saves to, as their rules have it',
    on(fresh, async (before, ground) => {
      const thread = before.thread<Talk>('a')
      await fill(thread, 4)
      await thread.save(talk(5), { label: 'keep' })
      await fill(thread, 25, 6)
      await fill(before.thread<Talk>('a', { namespace: 'part' }), 15)
      await fill(before.thread<Talk>('all', { retention: false }), 15)
      await fill(before.thread<Talk>('few', { retention: { olderThan: 100 } }), 15)
      await fill(before.thread<Talk>('young', { retention: { olderThan: 3_600_000 } }), 15)
      const fork = await before.thread<Talk>('young').fork({ at: 12, as: 'fork' })
      await before.close()
      const checkpointer = await ground.open({ retention: { olderThan: 300, keepLast: 2, keepEvery: 10 } })
      expect(await whenLetGo(checkpointer, 'few', 1)).toEqual([15])
      expect(await whenLetGo(checkpointer, 'a', 5)).toEqual([5, 10, 20, 24, 25])
      const part = checkpointer.thread<Talk>('a', { namespace: 'part' })
      expect(await seqsOf(part.history({ order: 'oldest' }))).toEqual([10, 14, 15])
      await expectStates(checkpointer.thread('all'), talks(range(1, 15)))
      await expectStates(checkpointer.thread('young'), talks(range(1, 15)))
      await expectStates(checkpointer.thread(fork.id), talks(range(1, 12)))
      await expectStates(checkpointer.thread('a'), talks([5, 10, 20, 24, 25]))
      expect((await checkpointer.verify()).problems).toEqual([])
    }),
  )

  it(
    'a thread of its own mind keeps to its own rules, its forks too, and the others to those of all',
    on(fresh, async (_, ground) => {
      const checkpointer = await ground.open({ retention: { keepLast: 5 } })
      const all = checkpointer.thread<Talk>('all', { retention: false })
      const few = checkpointer.thread<Talk>('few', { retention: { keepLast: 1 } })
      await fill(all, 30)
      const fork = await all.fork({ at: 30, as: 'fork' })
      await fill(fork, 60, 31)
      await fill(few, 30)
      await fill(checkpointer.thread<Talk>('other'), 30)
      expect((await whenLetGo(checkpointer, 'few', 11)).length).toBeLessThanOrEqual(11)
      expect((await whenLetGo(checkpointer, 'other', 15)).length).toBeLessThanOrEqual(15)
      await expectStates(all, talks(range(1, 30)))
      expect(await seqsOf(fork.history({ order: 'oldest' }))).toEqual(range(1, 60))
      // Whoever saves next decides anew.
      await fill(checkpointer.thread<Talk>('all'), 31, 31)
      expect((await whenLetGo(checkpointer, 'all', 15)).length).toBeLessThanOrEqual(15)
      expect(await seqsOf(fork.history({ order: 'oldest' }))).toEqual(range(1, 60))
      await expectStates(fork, talks(range(1, 60)))
      expect((await checkpointer.verify()).problems).toEqual([])
    }),
  )

  it(
    'two that let go of the same thread at once lose nothing that should stay',
    on(fresh, async (_, ground) => {
      const retention = { keepLast: 5 }
      const one = await ground.open({ retention })
      const two = await ground.open({ retention })
      const saves = range(1, 60).map((n) =>
        (n % 2 ? one : two).thread<Talk>('a').save(talk(n), { parent: null }),
      )
      await Promise.all(saves)
      for (const checkpointer of [one, two]) await seenByOthers(ground, checkpointer)
      for (const n of range(61, 80)) {
        await (n % 2 ? one : two).thread<Talk>('a').save(talk(n))
        await seenByOthers(ground, n % 2 ? one : two)
      }
      const left = await whenLetGo(one, 'a', 30)
      expect(left.slice(-5)).toEqual(range(76, 80))
      const states = await listOf(two.thread<Talk>('a').history({ states: true }))
      for (const { seq, state } of states) if (seq > 60) expect(state).toEqual(talk(seq))
      expect((await one.verify()).problems).toEqual([])
    }),
  )
}
