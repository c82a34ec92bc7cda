import { expect, it } from 'vitest'
import { fill, listOf, on, range, rejection, seqsOf, talk, type Fresh, type Talk } from './ground.ts'

export function listingLaws(fresh: Fresh): void {
  it(
    'newest first or oldest first, limited, before and after a seq or an id',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Talk>('a')
      await fill(thread, 250)
      const ten = (await thread.load(10))?.id as string
      expect(await seqsOf(thread.history())).toEqual(range(1, 250).reverse())
      expect(await seqsOf(thread.history({ order: 'oldest' }))).toEqual(range(1, 250))
      expect(await seqsOf(thread.history({ limit: 3 }))).toEqual([250, 249, 248])
      expect(await seqsOf(thread.history({ limit: 0 }))).toEqual([])
      expect(await seqsOf(thread.history({ before: 3 }))).toEqual([2, 1])
      expect(await seqsOf(thread.history({ before: ten, limit: 2 }))).toEqual([9, 8])
      expect(await seqsOf(thread.history({ after: ten, before: 13, order: 'oldest' }))).toEqual([11, 12])
      expect(await seqsOf(thread.history({ before: 9999, limit: 1 }))).toEqual([250])
      expect(await seqsOf(thread.history({ before: 5, after: 7 }))).toEqual([])
    }),
  )

  it(
    'filters by field and by any value of extra, all at once',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Talk>('a')
      for (const i of range(1, 12)) {
        await thread.save(talk(i), {
          node: i % 2 ? 'odd' : 'even',
          runId: `r${i % 3}`,
          source: i === 5 ? 'input' : 'loop',
          extra: { third: i % 3 === 0, tags: ['t', i % 4], at: new Date(i % 2) },
          ...(i === 7 ? { label: 'seven' } : {}),
        })
      }
      const where = (filter: object) => seqsOf(thread.history({ where: filter }))
      expect(await where({ node: 'even' })).toEqual([12, 10, 8, 6, 4, 2])
      expect(await where({ runId: 'r1', node: 'odd' })).toEqual([7, 1])
      expect(await where({ source: 'input' })).toEqual([5])
      expect(await where({ label: 'seven' })).toEqual([7])
      expect(await where({ extra: { third: true } })).toEqual([12, 9, 6, 3])
      expect(await where({ extra: { tags: ['t', 3] } })).toEqual([11, 7, 3])
      expect(await where({ extra: { at: new Date(1), third: true } })).toEqual([9, 3])
      expect(await where({ extra: { nothing: 1 } })).toEqual([])
      expect(await seqsOf(thread.history({ where: { node: 'odd' }, limit: 2, before: 8 }))).toEqual([7, 5])
    }),
  )

  it(
    'lists the namespaces of a thread that have checkpoints',
    on(fresh, async (checkpointer) => {
      const root = checkpointer.thread('a')
      expect(await root.namespaces()).toEqual([])
      const sub = checkpointer.thread('a', { namespace: 'sub: it/ü' })
      const saved = await sub.save({ n: 1 })
      expect(await root.namespaces()).toEqual(['sub: it/ü'])
      await root.save({ n: 1 })
      await checkpointer.thread('b', { namespace: 'other' }).save({ n: 1 })
      expect(await sub.namespaces()).toEqual(['', 'sub: it/ü'])
      await sub.deleteCheckpoints([saved.id])
      expect(await root.namespaces()).toEqual([''])
    }),
  )

  it(
    'gives the states when asked',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Talk>('a')
      await fill(thread, 60)
      const items = await listOf(thread.history({ states: true, limit: 45 }))
      expect(items.map(({ state }) => state)).toEqual(
        range(16, 60)
          .reverse()
          .map((i) => talk(i)),
      )
    }),
  )

  it(
    'a page that is not read to its end costs nothing more, and an abort stops it',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Talk>('a')
      await fill(thread, 20)
      for await (const { seq } of thread.history()) if (seq === 18) break
      const control = new AbortController()
      const seen: number[] = []
      const reading = (async () => {
        for await (const { seq } of thread.history({ signal: control.signal })) {
          seen.push(seq)
          if (seq === 17) control.abort()
        }
      })()
      await expect(reading).rejects.toThrow()
      expect(seen).toEqual([20, 19, 18, 17])
    }),
  )

  it(
    'lists threads, the latest first, with their heads',
    on(fresh, async (checkpointer) => {
      for (const id of ['x', 'y', 'z']) {
        await checkpointer.thread<Talk>(id).save(talk(1), { node: `of ${id}` })
        await new Promise((resolve) => setTimeout(resolve, 3))
      }
      await checkpointer.thread<Talk>('x').save(talk(2), { label: 'again' })
      const list = await listOf(checkpointer.threads())
      expect(list.map(({ id }) => id)).toEqual(['x', 'z', 'y'])
      expect(list[0]?.head).toMatchObject({ thread: 'x', seq: 2, label: 'again' })
      expect(list[1]?.head?.node).toBe('of z')
      expect((await listOf(checkpointer.threads({ limit: 2 }))).map(({ id }) => id)).toEqual(['x', 'z'])
      expect(
        (await listOf(checkpointer.threads({ where: ({ id }) => id === 'y' }))).map(({ id }) => id),
      ).toEqual(['y'])
      const before = list[1]?.updatedAt as Date
      expect((await listOf(checkpointer.threads({ before }))).map(({ id }) => id)).toEqual(['y'])
      await rejection(listOf(checkpointer.threads({ limit: -1 })), 'INVALID')
    }),
  )

  it(
    'lists more threads than fit a page, each once',
    on(fresh, async (checkpointer) => {
      const ids = range(1, 230).map((i) => `thread ${i}`)
      await Promise.all(ids.map((id) => checkpointer.thread<Talk>(id).save(talk(1))))
      const listed = (await listOf(checkpointer.threads())).map(({ id }) => id)
      expect(listed.sort()).toEqual([...ids].sort())
    }),
  )

  it(
    'thread ids are opaque: likenesses never mix',
    on(fresh, async (checkpointer) => {
      const ids = [
        'a',
        'a:b',
        'a/b',
        'a\u0000',
        'a!0000',
        'a ',
        'A',
        '__proto__',
        'constructor',
        '..',
        '\ud83d',
        '💡',
        'ä',
        'a\u0308',
        'x'.repeat(256),
      ]
      for (const id of ids) await checkpointer.thread(id).save({ id })
      for (const id of ids) {
        expect((await checkpointer.thread(id).load())?.state).toEqual({ id })
        expect((await checkpointer.thread('n', { namespace: id }).load())?.state).toBeUndefined()
      }
      for (const id of ids) await checkpointer.thread('n', { namespace: id }).save({ ns: id })
      for (const id of ids)
        expect((await checkpointer.thread('n', { namespace: id }).load())?.state).toEqual({ ns: id })
      // The name of a subgraph's namespace grows with the depth that it is at.
      const deep = checkpointer.thread('n', { namespace: 'agent:0b7c-42|'.repeat(73) + 'x' })
      await deep.save({ ns: 'deep' })
      expect((await deep.load())?.state).toEqual({ ns: 'deep' })
      expect(await checkpointer.thread('n').namespaces()).toContain(deep.namespace)
      expect(() => checkpointer.thread('n', { namespace: 'x'.repeat(1025) })).toThrow(
        expect.objectContaining({ code: 'INVALID' }),
      )
      await checkpointer.thread('a').delete()
      expect((await listOf(checkpointer.threads())).map(({ id }) => id).sort()).toEqual(
        [...ids.slice(1), 'n'].sort(),
      )
    }),
  )

  it(
    'counts what it holds',
    on(fresh, async (checkpointer) => {
      await fill(checkpointer.thread<Talk>('a'), 3)
      await fill(checkpointer.thread<Talk>('b'), 2)
      const usage = await checkpointer.usage()
      expect(usage).toMatchObject({ threads: 2, checkpoints: 5 })
      expect(usage.bytes).toBeGreaterThan(500)
      expect(await checkpointer.verify()).toMatchObject({ problems: [] })
    }),
  )

  it(
    'counts for each thread what it holds, and adds up to the whole',
    on(fresh, async (checkpointer) => {
      await fill(checkpointer.thread<Talk>('a'), 3)
      await fill(checkpointer.thread<Talk>('a', { namespace: 'sub' }), 2)
      await checkpointer.thread('b/ü').save({ large: 'x'.repeat(100_000) })
      const fork = await checkpointer.thread<Talk>('a').fork({ at: 2, as: 'fork' })
      await fill(fork, 1)
      const usage = await checkpointer.usage()
      expect(usage.perThread.map(({ id, checkpoints }) => [id, checkpoints])).toEqual([
        ['b/ü', 1],
        ['a', 5],
        ['fork', 1],
      ])
      expect(usage.others.checkpoints).toBe(0)
      const sum = usage.perThread.reduce((all, { bytes }) => all + bytes, usage.others.bytes)
      expect(sum).toBe(usage.bytes)
      expect(usage.perThread[0]?.bytes).toBeGreaterThan(100_000)

      // What a fork still shows of a deleted thread is nobody's.
      await checkpointer.thread('a').delete()
      await checkpointer.thread('b/ü').delete()
      const after = await checkpointer.usage()
      expect(after.perThread).toMatchObject([{ id: 'fork', checkpoints: 1 }])
      expect(after.others.checkpoints).toBe(2)
      expect(after.others.bytes + (after.perThread[0]?.bytes ?? 0)).toBe(after.bytes)
    }),
  )

  it(
    'counts a page at a time, and stops at once when it is told to',
    on(fresh, async (checkpointer) => {
      for (let thread = 0; thread < 210; thread++) await checkpointer.thread(`t${thread}`).save({ thread })
      const seen: number[] = []
      const usage = await checkpointer.usage({ onProgress: (checkpoints) => void seen.push(checkpoints) })
      expect(usage).toMatchObject({ threads: 210, checkpoints: 210 })
      expect(usage.perThread).toHaveLength(210)
      expect(seen.length).toBeGreaterThan(1)
      expect(seen).toEqual(seen.toSorted((a, b) => a - b))
      expect(seen.at(-1)).toBe(210)
      const stop = new AbortController()
      const reason = new Error('enough')
      const counting = checkpointer.usage({ signal: stop.signal, onProgress: () => stop.abort(reason) })
      await expect(counting).rejects.toBe(reason)
    }),
  )
}
