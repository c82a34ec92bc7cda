import { expect, it } from 'vitest'
import {
  expectStates,
  fill,
  on,
  range,
  rejection,
  seqsOf,
  talk,
  talks,
  type Fresh,
  type Talk,
} from './ground.ts'

/** Laws about saves that resolve before they are written. They hold whatever the other laws are run with. */
export function durabilityLaws(fresh: Fresh): void {
  it(
    'async: what was saved in one go is stored in its order, under the seqs and ids that were told',
    on(fresh, async (_, ground) => {
      const one = await ground.open({ durability: 'async' })
      const thread = one.thread<Talk>('a')
      const told = await Promise.all(range(1, 40).map((count) => thread.save(talk(count), { step: count })))
      expect(told.map(({ seq }) => seq)).toEqual(range(1, 40))
      expect(told.map(({ parentId }) => parentId)).toEqual([
        undefined,
        ...told.slice(0, -1).map(({ id }) => id),
      ])
      await one.flush()
      const other = (await ground.open()).thread<Talk>('a')
      await expectStates(other, talks(range(1, 40)))
      for (const info of told) expect(await other.load(info.seq)).toMatchObject(info)
    }),
  )

  it(
    'async: each sees what it has saved itself, by every way of looking',
    on(fresh, async (_, ground) => {
      const one = await ground.open({ durability: 'async' })
      const thread = one.thread<Talk>('a')
      for (const count of range(1, 12)) {
        const saved = await thread.save(talk(count))
        if (count % 4 === 0) expect((await thread.load())?.state).toEqual(talk(count))
        if (count % 4 === 1) expect((await seqsOf(thread.history({ limit: 1 })))[0]).toBe(saved.seq)
        if (count % 4 === 2) expect((await (await thread.fork()).load())?.state).toEqual(talk(count))
        if (count % 4 === 3) await thread.putWrites(saved.id, 'task', [{ channel: 'c', value: count }])
      }
      await expectStates(thread, talks(range(1, 12)))
    }),
  )

  it(
    'async: a fork or copy finds its name taken by what was saved under it and is not written yet',
    on(fresh, async (_, ground) => {
      const one = await ground.open({ durability: 'async' })
      await one.thread<Talk>('a').save(talk(1))
      for (const as of ['b', 'c']) {
        const saving = one.thread<Talk>(as).save(talk(2))
        const making = as === 'b' ? one.thread('a').fork({ as }) : one.thread('a').copy(as)
        await rejection(making, 'CONFLICT')
        expect((await saving).seq).toBe(1)
        await expectStates(one.thread<Talk>(as), new Map([[1, talk(2)]]))
      }
    }),
  )

  it(
    'async: what only the store can decide is told by the store, and harms nothing behind it',
    on(fresh, async (_, ground) => {
      const one = await ground.open({ durability: 'async' })
      const thread = one.thread<Talk>('a')
      await thread.save(talk(1), { id: 'first' })
      const [refused, taken, unknown, last] = await Promise.allSettled([
        thread.save(talk(2), { expect: null }),
        thread.save(talk(3), { id: 'first' }),
        thread.save(talk(4), { parent: 'nobody' }),
        thread.save(talk(5)),
      ])
      expect(refused).toMatchObject({ reason: { code: 'CONFLICT' } })
      expect(taken).toMatchObject({ reason: { code: 'CONFLICT' } })
      expect(unknown).toMatchObject({ reason: { code: 'NOT_FOUND' } })
      expect(last).toMatchObject({ value: { seq: 2, parentId: 'first' } })
      const third = await thread.save(talk(6), { expect: 2 })
      await thread.save(talk(7))
      await thread.save(talk(8), { parent: third.seq })
      expect((await thread.load())?.parentId).toBe(third.id)
      await expectStates(
        thread,
        new Map([
          [1, talk(1)],
          [2, talk(5)],
          [3, talk(6)],
          [4, talk(7)],
          [5, talk(8)],
        ]),
      )
    }),
  )

  it(
    'async: saves, removals and forks that do not wait for each other keep their order',
    on(fresh, async (_, ground) => {
      const one = await ground.open({ durability: 'async' })
      const thread = one.thread<Talk>('a')
      const [, , , fork, , removed] = await Promise.all([
        thread.save(talk(1)),
        thread.save(talk(2)),
        thread.deleteCheckpoints([2]),
        thread.fork({ as: 'f' }),
        thread.save(talk(3)),
        thread.prune({ keepLast: 1 }),
        thread.save(talk(4)),
      ])
      expect(removed.removed.map(({ seq }) => seq)).toEqual([1])
      await expectStates(thread, talks([3, 4]))
      await expectStates(fork, talks([1]))
    }),
  )

  it.each(['sync', 'async', 'exit'] as const)(
    '%s: a flush waits for all that is under way, and rejects with a failure among it',
    (durability) =>
      on(fresh, async (_, ground) => {
        const one = await ground.open({ durability })
        const thread = one.thread<Talk>('a')
        await thread.save(talk(1))
        await one.flush()
        const saving = [
          thread.save(talk(2), { expect: null }),
          thread.save(talk(3)),
          one.thread<Talk>('b').save(talk(4)),
        ]
        const told: string[] = []
        for (const save of saving)
          void save.then(
            () => told.push('saved'),
            () => told.push('refused'),
          )
        await rejection(one.flush(), 'CONFLICT')
        expect(told.toSorted()).toEqual(['refused', 'saved', 'saved'])
        // It was told; nothing is left to be.
        await one.flush()
        const other = await ground.open()
        await expectStates(
          other.thread<Talk>('a'),
          new Map([
            [1, talk(1)],
            [2, talk(3)],
          ]),
        )
        await expectStates(other.thread<Talk>('b'), new Map([[1, talk(4)]]))
      })(),
  )

  it(
    'exit: only the last state is written, when it is flushed, looked at, or the checkpointer closed',
    on(fresh, async (other, ground) => {
      const one = await ground.open({ durability: 'exit' })
      const thread = one.thread<Talk>('a')
      const seen = other.thread<Talk>('a')
      for (const count of range(1, 9)) expect((await thread.save(talk(count))).seq).toBe(1)
      expect(await seen.load()).toBeUndefined()
      await one.flush()
      await expectStates(seen, new Map([[1, talk(9)]]))
      const told = await Promise.all(range(10, 15).map((count) => thread.save(talk(count))))
      expect(new Set(told.map(({ seq, parentId }) => `${seq} ${parentId}`)).size).toBe(1)
      expect((await thread.load())?.state).toEqual(talk(15))
      await fill(thread, 20, 16)
      await one.close()
      await expectStates(
        seen,
        new Map([
          [1, talk(9)],
          [2, talk(15)],
          [3, talk(20)],
        ]),
      )
      await rejection(thread.save(talk(21)), 'CLOSED')
    }),
  )

  it(
    'exit: what a save names as its parent is written, and what only the store can decide is asked at once',
    on(fresh, async (_, ground) => {
      const one = await ground.open({ durability: 'exit' })
      const thread = one.thread<Talk>('a')
      await thread.save(talk(1))
      const second = await thread.save(talk(2))
      const third = await thread.save(talk(3), { parent: second.id, expect: second.seq })
      expect(third.parentId).toBe(second.id)
      await rejection(thread.save(talk(4), { expect: null }), 'CONFLICT')
      await expectStates(
        thread,
        new Map([
          [1, talk(2)],
          [2, talk(3)],
        ]),
      )
    }),
  )
}
