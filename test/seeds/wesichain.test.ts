/**
 * wesichain: checkpoints with step, node, queue and time; a list of (seq, time); a fork at a step that holds
 * the history up to and including it, and is independent of its origin.
 */
import { CheckpointerError, type Checkpointer, type Thread } from 'forkpoint'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { collect, seqs, seedStores, threadIds } from './stores.ts'

interface Counter {
  n: number
}

/** As their tests do it: steps are counted from 0, and the state has the step in it. */
async function counted(checkpointer: Checkpointer, id: string, steps: number): Promise<Thread<Counter>> {
  const thread = checkpointer.thread<Counter>(id)
  for (let step = 0; step < steps; step++) await thread.save({ n: step }, { step, node: 'node' })
  return thread
}

const steps = async (thread: Thread<Counter>): Promise<(number | undefined)[]> =>
  (await collect(thread.history({ order: 'oldest' }))).map(({ step }) => step)

describe.each(seedStores)('wesichain over $kind', ({ open }) => {
  it('keeps step, node, queue and time', async () => {
    const thread = (await open()).thread<Counter>('main')
    const queue: [node: string, step: number][] = [
      ['search', 8],
      ['answer', 9],
    ]
    const start = Date.now()
    await thread.save(
      { n: 7 },
      { step: 7, node: 'plan', next: queue.map(([node]) => node), extra: { queue } },
    )
    const end = Date.now()

    const loaded = await thread.load()
    expect(loaded).toMatchObject({
      thread: 'main',
      state: { n: 7 },
      step: 7,
      node: 'plan',
      next: ['search', 'answer'],
      extra: { queue },
    })
    expectTypeOf(loaded?.createdAt).toEqualTypeOf<Date | undefined>()
    expect(loaded?.createdAt.getTime()).toBeGreaterThanOrEqual(start)
    expect(loaded?.createdAt.getTime()).toBeLessThanOrEqual(end)
    expect(loaded?.createdAt.toISOString()).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/)
  })

  it('loads the one saved last', async () => {
    const thread = await counted(await open(), 'main', 4)
    expect(await thread.load()).toMatchObject({ state: { n: 3 }, step: 3 })
  })

  it('has nothing to load and an empty list for a thread that is not there', async () => {
    const thread = (await open()).thread<Counter>('main')
    expect(await thread.load()).toBeUndefined()
    expect(await collect(thread.history())).toEqual([])
  })

  it('lists checkpoints with their seq and time, oldest first when asked', async () => {
    const thread = await counted(await open(), 'main', 5)
    const list = await collect(thread.history({ order: 'oldest' }))
    expect(list.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5])
    expect(list.map(({ step }) => step)).toEqual([0, 1, 2, 3, 4])
    const times = list.map(({ createdAt }) => createdAt.getTime())
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    for (const info of list) expect(info).not.toHaveProperty('state')
  })

  it('forks at a step: a new thread with the history up to and including it', async () => {
    const checkpointer = await open()
    const main = await counted(checkpointer, 'main', 5)
    const fork = await main.fork({ at: { step: 2 } })
    expectTypeOf(fork).toEqualTypeOf<Thread<Counter>>()
    expect(fork.id).not.toBe('main')
    expect(await steps(fork)).toEqual([0, 1, 2])
    expect(await fork.load()).toMatchObject({ thread: fork.id, step: 2, state: { n: 2 } })
    expect(await threadIds(checkpointer)).toEqual(['main', fork.id].sort())
  })

  it('stamps what a fork shows with the fork’s own id, and leaves all else as it was', async () => {
    const main = await counted(await open(), 'main', 3)
    const fork = await main.fork({ at: { step: 1 } })
    const theirs = await collect(main.history({ states: true, before: 3 }))
    const own = await collect(fork.history({ states: true }))
    expect(own).toEqual(theirs.map((each) => ({ ...each, thread: fork.id })))
  })

  it('forks by seq and by id as well, and at the first, the last, and the head unless told', async () => {
    const main = await counted(await open(), 'main', 4)
    const { id } = (await main.load(3)) ?? expect.unreachable()
    expect(await steps(await main.fork({ at: 3 }))).toEqual([0, 1, 2])
    expect(await steps(await main.fork({ at: id }))).toEqual([0, 1, 2])
    expect(await steps(await main.fork({ at: 1 }))).toEqual([0])
    expect(await steps(await main.fork({ at: 4 }))).toEqual([0, 1, 2, 3])
    expect(await steps(await main.fork())).toEqual([0, 1, 2, 3])
  })

  it('gives every fork an id of its own', async () => {
    const checkpointer = await open()
    const main = await counted(checkpointer, 'main', 2)
    const forks = await Promise.all(Array.from({ length: 8 }, () => main.fork({ at: { step: 0 } })))
    expect(new Set(forks.map(({ id }) => id)).size).toBe(8)
    expect(await threadIds(checkpointer)).toHaveLength(9)
  })

  it.each([
    ['step', { step: 99 }],
    ['seq', 99],
    ['seq 0', 0],
    ['id', 'nothing has this id'],
    ['label', { label: 'nor this label' }],
  ])('refuses to fork at an unknown %s, and makes no thread', async (_, at) => {
    const checkpointer = await open()
    const main = await counted(checkpointer, 'main', 1)
    const refused: unknown = await main.fork({ at }).catch((error: unknown) => error)
    expect(CheckpointerError.is(refused, 'NOT_FOUND')).toBe(true)
    expect(await threadIds(checkpointer)).toEqual(['main'])
  })

  it('refuses to fork a thread that is not there', async () => {
    const checkpointer = await open()
    for (const at of [undefined, 0, { step: 0 }]) {
      const forking = checkpointer.thread('main').fork(at === undefined ? {} : { at })
      await expect(forking).rejects.toMatchObject({ code: 'NOT_FOUND', thread: 'main' })
    }
    expect(await threadIds(checkpointer)).toEqual([])
  })

  it('keeps a fork independent of what its origin goes on to do', async () => {
    const main = await counted(await open(), 'main', 3)
    const fork = await main.fork({ at: { step: 1 } })
    await main.save({ n: 3 }, { step: 3 })
    expect(await steps(fork)).toEqual([0, 1])
    expect((await fork.load())?.state).toEqual({ n: 1 })
  })

  it('keeps an origin independent of what its fork goes on to do', async () => {
    const main = await counted(await open(), 'main', 3)
    const fork = await main.fork({ at: { step: 1 } })
    await fork.save({ n: 20 }, { step: 2 })
    await fork.save({ n: 30 }, { step: 3 })
    expect(await steps(main)).toEqual([0, 1, 2])
    expect((await main.load())?.state).toEqual({ n: 2 })
    expect((await fork.load({ step: 2 }))?.state).toEqual({ n: 20 })
    expect((await main.load({ step: 2 }))?.state).toEqual({ n: 2 })
  })

  it('keeps a fork whole when its origin is deleted, and the other way round', async () => {
    const checkpointer = await open()
    const main = await counted(checkpointer, 'main', 5)
    const [left, right] = [await main.fork({ at: { step: 3 } }), await main.fork({ at: { step: 1 } })]
    await left.delete()
    expect(await steps(main)).toEqual([0, 1, 2, 3, 4])
    await main.delete()
    const kept = await collect(right.history({ states: true, order: 'oldest' }))
    expect(kept.map(({ state }) => state.n)).toEqual([0, 1])
    expect(await threadIds(checkpointer)).toEqual([right.id])
  })

  it('forks a fork', async () => {
    const main = await counted(await open(), 'main', 3)
    const child = await main.fork({ at: { step: 1 } })
    await child.save({ n: 100 }, { step: 2 })
    const grandchild = await child.fork({ at: { step: 2 } })
    await grandchild.save({ n: 1000 }, { step: 3 })
    const states = (await collect(grandchild.history({ states: true, order: 'oldest' }))).map(
      ({ state }) => state.n,
    )
    expect(states).toEqual([0, 1, 100, 1000])
    expect(await steps(child)).toEqual([0, 1, 2])
  })

  it('takes the latest of several with the same step, as after a step was run again', async () => {
    const thread = await counted(await open(), 'main', 3)
    await thread.save({ n: 11 }, { step: 1 })
    await thread.save({ n: 12 }, { step: 2 })
    expect((await thread.load({ step: 1 }))?.state).toEqual({ n: 11 })
    const fork = await thread.fork({ at: { step: 1 } })
    expect(await seqs(fork.history({ order: 'oldest' }))).toEqual([1, 2, 3, 4])
    expect((await fork.load())?.state).toEqual({ n: 11 })
  })
})
