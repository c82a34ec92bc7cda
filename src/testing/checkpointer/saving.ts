import { expect, it } from 'vitest'
import {
  expectStates,
  fill,
  listOf,
  on,
  range,
  rejection,
  seqsOf,
  talk,
  type Fresh,
  type Talk,
} from './ground.ts'

export function savingLaws(fresh: Fresh): void {
  it(
    'a thread nobody has saved to is empty',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread('new')
      expect(await thread.load()).toBeUndefined()
      expect(await listOf(thread.history())).toEqual([])
      expect(await listOf(checkpointer.threads())).toEqual([])
    }),
  )

  it(
    'what was saved is loaded, with all its fields',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Talk>('a')
      const before = Date.now()
      const fields = {
        node: 'plan',
        next: ['act', 'rest'],
        step: 3,
        runId: 'r1',
        workflow: 'w',
        label: 'good',
        source: 'loop',
        path: ['start', 'plan'],
        extra: { cost: 1.5, when: new Date(5), deep: { list: [1n] } },
      } as const
      const saved = await thread.save(talk(2), fields)
      expect(saved).toMatchObject({ thread: 'a', namespace: '', seq: 1, ...fields })
      const loaded = await thread.load()
      expect(loaded).toMatchObject({ ...saved, state: talk(2), pendingWrites: [] })
      expect(loaded?.createdAt.getTime()).toBeGreaterThanOrEqual(before)
      expect(loaded?.parentId).toBeUndefined()
    }),
  )

  it(
    'seqs rise by one, ids rise as text, each continues the one before',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Talk>('a')
      await fill(thread, 5)
      const items = await listOf(thread.history({ order: 'oldest' }))
      expect(items.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5])
      const ids = items.map(({ id }) => id)
      expect([...ids].sort()).toEqual(ids)
      expect(items.map(({ parentId }) => parentId)).toEqual([undefined, ...ids.slice(0, -1)])
    }),
  )

  it(
    'is found by seq, by id, by step and by label, the latest that fits',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Talk>('a')
      await fill(thread, 4)
      const marked = await thread.save(talk(9), { step: 2, label: 'mark' })
      await thread.save(talk(10))
      expect((await thread.load(3))?.state).toEqual(talk(3))
      expect((await thread.load(marked.id))?.seq).toBe(5)
      expect((await thread.load({ step: 2 }))?.seq).toBe(5)
      expect((await thread.load({ label: 'mark' }))?.seq).toBe(5)
      expect(await thread.load(99)).toBeUndefined()
      expect(await thread.load('nobody')).toBeUndefined()
      expect(await thread.load({ step: 77 })).toBeUndefined()
      expect(await thread.load({ label: 'none' })).toBeUndefined()
    }),
  )

  it(
    'a save captures the state at the call, whatever the caller does next',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Talk>('a')
      const state = talk(3)
      const first = thread.save(state)
      state.count = 99
      ;(state.messages[0] as { text: string }).text = 'changed'
      state.messages.length = 1
      const second = thread.save(state)
      state.count = 100
      await Promise.all([first, second])
      expect((await thread.load(1))?.state).toEqual(talk(3))
      expect((await thread.load(2))?.state).toEqual({
        count: 99,
        messages: [{ role: 'agent', text: 'changed' }],
      })
    }),
  )

  it(
    'what was loaded may be changed without harm to what is stored',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Talk>('a')
      await fill(thread, 3)
      const loaded = await thread.load()
      loaded?.state.messages.splice(0)
      expect((await thread.load())?.state).toEqual(talk(3))
      await thread.save(loaded?.state as Talk)
      expect((await thread.load(3))?.state).toEqual(talk(3))
      expect((await thread.load(4))?.state).toEqual({ count: 3, messages: [] })
    }),
  )

  it(
    'saves that do not wait for each other keep their order',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Talk>('a')
      const saved = await Promise.all(range(1, 30).map((count) => thread.save(talk(count))))
      expect(saved.map(({ seq }) => seq)).toEqual(range(1, 30))
      for (const seq of range(1, 30)) expect((await thread.load(seq))?.state.count).toBe(seq)
      const mixed = await Promise.all(
        range(31, 50).map((count) =>
          thread.save(talk(count), count % 3 ? {} : { parent: count % 2 ? 7 : null }),
        ),
      )
      expect(mixed.map(({ seq }) => seq)).toEqual(range(31, 50))
      for (const seq of range(31, 50)) expect((await thread.load(seq))?.state).toEqual(talk(seq))
    }),
  )

  it(
    'expect: a save goes through only on the head it names, by seq, by id, or none',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Talk>('a')
      const first = await thread.save(talk(1), { expect: null })
      await rejection(thread.save(talk(2), { expect: null }), 'CONFLICT')
      await thread.save(talk(2), { expect: 1 })
      await rejection(thread.save(talk(3), { expect: 1 }), 'CONFLICT')
      await rejection(thread.save(talk(3), { expect: first.id }), 'CONFLICT')
      expect(await seqsOf(thread.history())).toEqual([2, 1])
      const third = await thread.save(talk(3), { expect: 2 })
      await thread.save(talk(4), { expect: third.id })
      expect((await thread.load())?.state).toEqual(talk(4))
    }),
  )

  it(
    'a refused save leaves the next one whole',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<unknown>('a')
      await thread.save({ list: [1] })
      await rejection(thread.save({ list: [1, 2, () => 0] }), 'INVALID')
      await rejection(thread.save({ list: [1, 2, 3] }, { expect: 77 }), 'CONFLICT')
      await thread.save({ list: [1, 2, 3, 4] })
      expect((await thread.load())?.state).toEqual({ list: [1, 2, 3, 4] })
      expect((await thread.load())?.seq).toBe(2)
    }),
  )

  it(
    'parent: branches share a parent and never see each other',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Talk>('a')
      await fill(thread, 3)
      const two = await thread.load(2)
      const left = await thread.save(talk(5, 'left'), { parent: 2 })
      const right = await thread.save(talk(6, 'right'), { parent: two?.id as string })
      const further = await thread.save(talk(7, 'left'), { parent: left.id })
      const root = await thread.save(talk(1, 'root'), { parent: null })
      expect([left.parentId, right.parentId]).toEqual([two?.id, two?.id])
      expect(further.parentId).toBe(left.id)
      expect(root.parentId).toBeUndefined()
      expect((await thread.load(left.seq))?.state).toEqual(talk(5, 'left'))
      expect((await thread.load(right.seq))?.state).toEqual(talk(6, 'right'))
      expect((await thread.load(further.seq))?.state).toEqual(talk(7, 'left'))
      expect((await thread.load(root.seq))?.state).toEqual(talk(1, 'root'))
      expect((await thread.load(3))?.state).toEqual(talk(3))
      await rejection(thread.save(talk(1), { parent: 99 }), 'NOT_FOUND')
      await rejection(thread.save(talk(1), { parent: 'nobody' }), 'NOT_FOUND')
    }),
  )

  it(
    'ids of the caller: any text, found again, taken once',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Talk>('a')
      const ids = ['mine', 'a:b', 'a/b', '\u0000', '\ud800', '__proto__', '1', '💡', 'x'.repeat(256)]
      for (const [i, id] of ids.entries()) expect((await thread.save(talk(i + 1), { id })).id).toBe(id)
      for (const [i, id] of ids.entries()) expect((await thread.load(id))?.state).toEqual(talk(i + 1))
      await rejection(thread.save(talk(50), { id: 'mine' }), 'CONFLICT')
      expect(await seqsOf(thread.history())).toHaveLength(ids.length)
    }),
  )

  it(
    'a save refused for its id harms no save behind it, and is seen by no load',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Talk>('a')
      await thread.save(talk(2), { id: 'taken' })
      const [refused, saved, loaded] = await Promise.allSettled([
        thread.save(talk(9, 'refused'), { id: 'taken' }),
        thread.save(talk(10, 'refused')),
        thread.load('taken'),
      ])
      expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'CONFLICT' } })
      expect(saved.status).toBe('fulfilled')
      expect(loaded).toMatchObject({ value: { state: talk(2) } })
      await expectStates(
        thread,
        new Map([
          [1, talk(2)],
          [2, talk(10, 'refused')],
        ]),
      )
    }),
  )

  it(
    'namespaces are lanes of their own',
    on(fresh, async (checkpointer) => {
      const root = checkpointer.thread<Talk>('a')
      const sub = checkpointer.thread<Talk>('a', { namespace: 'sub|1' })
      const other = checkpointer.thread<Talk>('a', { namespace: 'sub|2' })
      await fill(sub, 3, 1, 'sub')
      await fill(root, 2, 1, 'root')
      await fill(other, 1, 1, 'other')
      expect((await root.load())?.state).toEqual(talk(2, 'root'))
      expect((await sub.load())?.state).toEqual(talk(3, 'sub'))
      expect((await other.load())?.state).toEqual(talk(1, 'other'))
      expect(await seqsOf(sub.history())).toEqual([3, 2, 1])
      expect((await listOf(checkpointer.threads())).map(({ id }) => id)).toEqual(['a'])
    }),
  )

  it(
    'every kind of value comes back, also after a reopen',
    on(fresh, async (checkpointer, ground) => {
      const state = {
        date: new Date(0),
        map: new Map([[{ k: 1 }, new Set([1n, undefined])]]),
        bytes: new Uint8Array([1, 2, 3]),
        nan: Number.NaN,
        none: undefined,
        url: new URL('https://example.org/?a=1'),
        holes: [1, undefined, 3],
        text: '💡"\\\u2028',
      }
      await checkpointer.thread('a').save(state)
      expect((await checkpointer.thread('a').load())?.state).toEqual(state)
      await checkpointer.close()
      const again = await ground.open()
      expect((await again.thread('a').load())?.state).toEqual(state)
    }),
  )

  it(
    'a state of 5 MB, then a small change to it',
    on(fresh, async (checkpointer, ground) => {
      const thread = checkpointer.thread<{ blocks: string[]; n: number }>('big')
      const blocks = range(1, 50).map((i) => String.fromCharCode(64 + i).repeat(100_000))
      await thread.save({ blocks, n: 1 })
      await thread.save({ blocks: [...blocks, 'é'.repeat(70_000)], n: 2 })
      await checkpointer.close()
      const again = (await ground.open()).thread<{ blocks: string[]; n: number }>('big')
      expect((await again.load(1))?.state).toEqual({ blocks, n: 1 })
      expect((await again.load())?.state).toEqual({ blocks: [...blocks, 'é'.repeat(70_000)], n: 2 })
    }),
  )

  it(
    'every checkpoint of a long thread is there after a reopen, and saving goes on',
    on(fresh, async (checkpointer, ground) => {
      await fill(checkpointer.thread<Talk>('long'), 150)
      await checkpointer.close()
      const again = (await ground.open()).thread<Talk>('long')
      expect((await again.save(talk(151))).seq).toBe(151)
      for (const seq of [1, 2, 3, 50, 99, 127, 128, 129, 149, 150, 151])
        expect((await again.load(seq))?.state).toEqual(talk(seq))
    }),
  )
}
