/**
 * atomr: snapshots by workflow, run and super step; the latest of a run; a list of what there is; a fork with
 * edits that makes a new run, labelled with where it came from. A run is a thread here.
 */
import type { Checkpoint, Checkpointer, CheckpointInfo, Snapshot, Thread } from 'forkpoint'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { collect, seedStores, threadIds } from './stores.ts'

interface Values {
  messages: { id: string; text?: string }[]
  a?: number
  b?: string
}

const runOf = (checkpointer: Checkpointer, run: string): Thread<Values> => checkpointer.thread<Values>(run)

describe.each(seedStores)('atomr over $kind', ({ open }) => {
  it('saves snapshots, and the latest is the one of the highest step', async () => {
    const run = runOf(await open(), 'r')
    await run.save({ messages: [] }, { workflow: 'wf', runId: 'r', step: 0, label: 'init' })
    await run.save({ messages: [{ id: 'm1' }] }, { workflow: 'wf', runId: 'r', step: 2, label: 'after' })

    const latest = await run.load()
    expectTypeOf(latest).toEqualTypeOf<Checkpoint<Values> | undefined>()
    expect(latest).toMatchObject({ step: 2, label: 'after', workflow: 'wf', runId: 'r' })
    expect(latest?.state.messages[0]?.id).toBe('m1')
  })

  it('is empty at first: no latest, no list, nothing counted', async () => {
    const checkpointer = await open()
    const run = runOf(checkpointer, 'r')
    expect(await run.load()).toBeUndefined()
    expect(await run.load({ step: 0 })).toBeUndefined()
    expect(await collect(run.history())).toEqual([])
    expect(await checkpointer.usage()).toMatchObject({ threads: 0, checkpoints: 0 })
  })

  it('counts what it holds', async () => {
    const checkpointer = await open()
    for (const id of ['r', 's'])
      for (const step of [0, 1, 2]) await runOf(checkpointer, id).save({ messages: [] }, { step })
    expect(await checkpointer.usage()).toMatchObject({ threads: 2, checkpoints: 6 })
  })

  it('loads by step, and by label', async () => {
    const run = runOf(await open(), 'r')
    for (const step of [0, 1, 2, 3])
      await run.save({ messages: [], a: step }, { step, label: `step ${step}` })
    expect((await run.load({ step: 1 }))?.state.a).toBe(1)
    expect((await run.load({ label: 'step 2' }))?.state.a).toBe(2)
    expect(await run.load({ step: 4 })).toBeUndefined()
    expect(await run.load({ label: 'step 4' })).toBeUndefined()
  })

  it('tells a step from a seq: they count by themselves', async () => {
    const run = runOf(await open(), 'r')
    await run.save({ messages: [], a: 20 }, { step: 2 })
    await run.save({ messages: [], a: 10 }, { step: 1 })
    expect((await run.load(1))?.state.a).toBe(20)
    expect((await run.load({ step: 1 }))?.state.a).toBe(10)
  })

  it('lists what there is of a run, with step, time and label but no values', async () => {
    const checkpointer = await open()
    const run = runOf(checkpointer, 'r')
    for (const step of [0, 1, 2, 3])
      await run.save({ messages: [] }, { workflow: 'wf', runId: 'r', step, label: 'step' })
    await runOf(checkpointer, 'other').save({ messages: [] }, { workflow: 'wf', runId: 'other', step: 9 })

    const metas = await collect(run.history({ order: 'oldest' }))
    expectTypeOf(metas).toEqualTypeOf<CheckpointInfo[]>()
    expect(metas.map(({ step }) => step)).toEqual([0, 1, 2, 3])
    expect(metas.every(({ createdAt, label }) => createdAt instanceof Date && label === 'step')).toBe(true)
    expect(metas.some((meta) => 'state' in meta)).toBe(false)
  })

  it('gives the latest of a run and a workflow where one thread has many', async () => {
    const thread = (await open()).thread<{ n: number }>('chat')
    const all = [
      ['wf', 'r1'],
      ['wf', 'r2'],
      ['other', 'r1'],
      ['wf', 'r1'],
      ['other', 'r2'],
    ] as const
    for (const [n, [workflow, runId]] of all.entries()) await thread.save({ n }, { workflow, runId, step: n })
    const latest = async (workflow: string, runId: string): Promise<Snapshot<{ n: number }> | undefined> =>
      (await collect(thread.history({ where: { workflow, runId }, limit: 1, states: true })))[0]
    expect((await latest('wf', 'r1'))?.state).toEqual({ n: 3 })
    expect((await latest('wf', 'r2'))?.state).toEqual({ n: 1 })
    expect((await latest('other', 'r1'))?.state).toEqual({ n: 2 })
    expect(await latest('wf', 'r3')).toBeUndefined()
    expect(await collect(thread.history({ where: { workflow: 'other' } }))).toHaveLength(2)
  })

  it('forks with edits: a new run, labelled with where it came from, and the origin as it was', async () => {
    const checkpointer = await open()
    const main = runOf(checkpointer, 'main')
    await main.save(
      { messages: [{ id: 'm1' }], a: 1 },
      { workflow: 'wf', runId: 'main', step: 1, label: 'before-fork' },
    )

    const twin = await main.fork({
      at: { step: 1 },
      edit: (draft) => {
        draft.a = 99
        draft.b = 'new'
      },
    })
    expect(twin.id).not.toBe('main')
    const forked = await twin.load()
    expect(forked).toMatchObject({
      state: { messages: [{ id: 'm1' }], a: 99, b: 'new' },
      label: 'fork-of:main',
      source: 'fork',
      workflow: 'wf',
      step: 1,
    })
    expect((await main.load())?.state).toEqual({ messages: [{ id: 'm1' }], a: 1 })
    expect(await threadIds(checkpointer)).toEqual(['main', twin.id].sort())
  })

  it('puts the edited state behind the fork point, which both of them show', async () => {
    const main = runOf(await open(), 'main')
    const point = await main.save({ messages: [], a: 1 }, { step: 1 })
    const twin = await main.fork({ edit: ({ messages }) => ({ messages, a: 2 }) })
    const [first, second] = await collect(twin.history({ order: 'oldest', states: true }))
    expect(first).toMatchObject({ seq: point.seq, id: point.id, state: { a: 1 } })
    expect(second).toMatchObject({ seq: point.seq + 1, parentId: point.id, state: { a: 2 } })
  })

  it('does not carry the origin’s run over to an edited state: the fork is a run of its own', async () => {
    const main = runOf(await open(), 'main')
    await main.save({ messages: [] }, { runId: 'main', step: 1 })
    const twin = await main.fork({ edit: (draft) => void (draft.a = 1) })
    expect(await twin.load()).not.toHaveProperty('runId')
  })

  it('waits for an edit that takes its time', async () => {
    const main = runOf(await open(), 'main')
    await main.save({ messages: [], a: 1 })
    const twin = await main.fork({
      edit: async (draft) => {
        await new Promise((resolve) => setTimeout(resolve, 5))
        draft.a = 2
      },
    })
    expect((await twin.load())?.state.a).toBe(2)
  })

  it('forks without edits: nothing is added, and the list of threads says where it came from', async () => {
    const checkpointer = await open()
    const main = runOf(checkpointer, 'main')
    const point = await main.save({ messages: [], a: 1 }, { step: 1, label: 'before-fork' })
    await main.save({ messages: [], a: 2 }, { step: 2 })
    const twin = await main.fork({ at: { step: 1 } })
    expect(await twin.load()).toMatchObject({ id: point.id, label: 'before-fork', state: { a: 1 } })
    const summaries = await collect(checkpointer.threads())
    expect(summaries.find(({ id }) => id === twin.id)).toMatchObject({
      label: 'fork-of:main',
      forkOf: { thread: 'main', namespace: '', seq: point.seq, id: point.id },
    })
    expect(summaries.find(({ id }) => id === 'main')).not.toHaveProperty('forkOf')
  })

  it('takes a name and a label of the caller’s for the fork', async () => {
    const checkpointer = await open()
    const main = runOf(checkpointer, 'main')
    await main.save({ messages: [] })
    const twin = await main.fork({ as: 'what-if', label: 'colder', edit: (draft) => void (draft.a = 0) })
    expect(twin.id).toBe('what-if')
    expect(await twin.load()).toMatchObject({ thread: 'what-if', label: 'colder' })
    const [summary] = (await collect(checkpointer.threads())).filter(({ id }) => id === 'what-if')
    expect(summary?.label).toBe('colder')
  })

  it('refuses to fork from a step that is not there', async () => {
    const checkpointer = await open()
    const main = runOf(checkpointer, 'main')
    await main.save({ messages: [] }, { step: 1 })
    for (const edit of [undefined, (draft: Values) => void (draft.a = 1)]) {
      const forking = main.fork({ at: { step: 7 }, ...(edit ? { edit } : {}) })
      await expect(forking).rejects.toMatchObject({ code: 'NOT_FOUND', thread: 'main' })
    }
    expect(await threadIds(checkpointer)).toEqual(['main'])
  })

  it('forks a fork with edits, each named after its own origin', async () => {
    const main = runOf(await open(), 'main')
    await main.save({ messages: [], a: 1 }, { step: 1 })
    const child = await main.fork({ as: 'child', edit: (draft) => void (draft.a = 2) })
    const grandchild = await child.fork({ edit: (draft) => void (draft.a = 3) })
    expect(await grandchild.load()).toMatchObject({ label: 'fork-of:child', state: { a: 3 } })
    expect(await child.load()).toMatchObject({ label: 'fork-of:main', state: { a: 2 } })
    const all = await collect(grandchild.history({ states: true, order: 'oldest' }))
    expect(all.map(({ state }) => state.a)).toEqual([1, 2, 3])
  })
})
