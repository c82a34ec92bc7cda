/**
 * tinyagents: put and get by id, list, get_tuple, list_threads, delete a thread, checkpoints or a run, copy a
 * thread, prune with ancestors kept; namespaces, sources, durability modes. Files and SQLite: not in here.
 */
import {
  CheckpointerError,
  openCheckpointer,
  type Checkpoint,
  type OpenOptions,
  type Source,
  type Thread,
} from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { collect, newName, seqs, seedStores, threadIds } from './stores.ts'

interface State {
  messages: string[]
  count: number
}

const state = (count: number): State => ({
  messages: Array.from({ length: count }, (_, i) => `m${i}`),
  count,
})

/** cp-1, cp-2, …: each continues the one before. */
async function line(thread: Thread<State>, length: number): Promise<void> {
  for (let n = 1; n <= length; n++)
    await thread.save(state(n), { id: `cp-${n}`, step: n, runId: n % 2 ? 'odd' : 'even' })
}

const ids = async (thread: Thread<State>): Promise<string[]> =>
  (await collect(thread.history({ order: 'oldest' }))).map(({ id }) => id)

describe.each(seedStores)('tinyagents over $kind', ({ open }) => {
  const opened = async (id = 't'): Promise<Thread<State>> => (await open()).thread<State>(id)

  describe('put and get', () => {
    it('puts under an id of the caller’s and answers with it', async () => {
      const thread = await opened()
      expect((await thread.save(state(1), { id: 'cp-1' })).id).toBe('cp-1')
      expect(await thread.load('cp-1')).toMatchObject({ id: 'cp-1', state: state(1) })
    })

    it('makes ids that are unique and rise where none is given', async () => {
      const thread = await opened()
      const made: string[] = []
      for (let n = 0; n < 50; n++) made.push((await thread.save(state(n))).id)
      expect(new Set(made).size).toBe(50)
      expect(made.toSorted()).toEqual(made)
    })

    it('gets the latest without an id, any one with it, and none for an unknown id or thread', async () => {
      const checkpointer = await open()
      const thread = checkpointer.thread<State>('t')
      await line(thread, 3)
      const latest = await thread.load()
      expectTypeOf(latest).toEqualTypeOf<Checkpoint<State> | undefined>()
      expect(latest).toMatchObject({ id: 'cp-3', state: state(3) })
      expect(await thread.load('cp-2')).toMatchObject({ id: 'cp-2', state: state(2) })
      expect(await thread.load('cp-9')).toBeUndefined()
      expect(await checkpointer.thread('elsewhere').load('cp-1')).toBeUndefined()
    })

    it('finds the same id in two threads, each with its own state', async () => {
      const checkpointer = await open()
      const [a, b] = [checkpointer.thread<State>('a'), checkpointer.thread<State>('b')]
      await a.save(state(1), { id: 'same' })
      await b.save(state(2), { id: 'same' })
      expect((await a.load('same'))?.state).toEqual(state(1))
      expect((await b.load('same'))?.state).toEqual(state(2))
    })

    it('counts what a thread has', async () => {
      const thread = await opened()
      expect(await collect(thread.history())).toHaveLength(0)
      await line(thread, 3)
      expect(await collect(thread.history())).toHaveLength(3)
    })
  })

  describe('list', () => {
    it('gives metadata in the order of saving, and nothing for an unknown thread', async () => {
      const checkpointer = await open()
      const thread = checkpointer.thread<State>('t')
      await line(thread, 4)
      const list = await collect(thread.history({ order: 'oldest' }))
      expect(list.map(({ id, parentId, step, runId }) => ({ id, parentId, step, runId }))).toEqual([
        { id: 'cp-1', parentId: undefined, step: 1, runId: 'odd' },
        { id: 'cp-2', parentId: 'cp-1', step: 2, runId: 'even' },
        { id: 'cp-3', parentId: 'cp-2', step: 3, runId: 'odd' },
        { id: 'cp-4', parentId: 'cp-3', step: 4, runId: 'even' },
      ])
      expect(list.some((info) => 'state' in info)).toBe(false)
      expect(await collect(checkpointer.thread('elsewhere').history())).toEqual([])
    })

    it('gives parts of it: a limit, a window, a run', async () => {
      const thread = await opened()
      await line(thread, 6)
      expect(await seqs(thread.history({ limit: 2 }))).toEqual([6, 5])
      expect(await seqs(thread.history({ limit: 0 }))).toEqual([])
      expect(await seqs(thread.history({ before: 'cp-3' }))).toEqual([2, 1])
      expect(await seqs(thread.history({ after: 2, before: 5, order: 'oldest' }))).toEqual([3, 4])
      expect(await seqs(thread.history({ where: { runId: 'even' } }))).toEqual([6, 4, 2])
      expect(await seqs(thread.history({ where: { runId: 'even', step: 4 } }))).toEqual([4])
    })

    it('reads through a long one', async () => {
      const thread = await opened()
      for (let n = 1; n <= 250; n++) await thread.save({ messages: [], count: n })
      const down = Array.from({ length: 250 }, (_, i) => 250 - i)
      expect(await seqs(thread.history())).toEqual(down)
      const counts = (await collect(thread.history({ states: true }))).map(({ state: { count } }) => count)
      expect(counts).toEqual(down)
    })
  })

  describe('get_tuple', () => {
    it('gives where it is, what it continues and its pending writes, all by one load', async () => {
      const thread = await opened()
      await line(thread, 2)
      await thread.putWrites('cp-2', 'task-1', [
        { channel: 'messages', value: 'from the task' },
        { channel: 'count', value: { at: new Date(5) } },
      ])
      const tuple = await thread.load('cp-2')
      expect(tuple).toMatchObject({
        thread: 't',
        namespace: '',
        id: 'cp-2',
        parentId: 'cp-1',
        state: state(2),
        pendingWrites: [
          { taskId: 'task-1', index: 0, channel: 'messages', value: 'from the task' },
          { taskId: 'task-1', index: 1, channel: 'count', value: { at: new Date(5) } },
        ],
      })
      const parent = await thread.load(tuple?.parentId)
      expect(parent).toMatchObject({ id: 'cp-1', pendingWrites: [] })
      expect(parent).not.toHaveProperty('parentId')
    })

    it('resolves the latest when no id is asked for, and is none where there is nothing', async () => {
      const thread = await opened()
      expect(await thread.load()).toBeUndefined()
      await line(thread, 2)
      await thread.putWrites('cp-2', 'task-1', [{ channel: 'c', value: 1 }])
      expect(await thread.load()).toMatchObject({
        id: 'cp-2',
        parentId: 'cp-1',
        pendingWrites: [{ value: 1 }],
      })
    })

    it('keeps the writes of several tasks in the order in which they came', async () => {
      const thread = await opened()
      await line(thread, 1)
      for (const [taskId, value] of [
        ['z', 1],
        ['a', 2],
        ['m', 3],
      ] as const) {
        await thread.putWrites(1, taskId, [{ channel: 'c', value }])
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
      expect((await thread.load())?.pendingWrites.map(({ taskId, value }) => [taskId, value])).toEqual([
        ['z', 1],
        ['a', 2],
        ['m', 3],
      ])
    })

    it('writes a task’s place once, and special places anew', async () => {
      const thread = await opened()
      await line(thread, 1)
      await thread.putWrites(1, 'task', [{ channel: 'c', value: 'first' }])
      await thread.putWrites(1, 'task', [{ channel: 'c', value: 'second' }])
      await thread.putWrites(1, 'task', [{ channel: 'error', value: 'once', index: -1 }])
      await thread.putWrites(1, 'task', [{ channel: 'error', value: 'again', index: -1 }])
      const values = (await thread.load())?.pendingWrites.map(({ index, value }) => [index, value])
      expect(values).toHaveLength(2)
      expect(values).toEqual(
        expect.arrayContaining([
          [0, 'first'],
          [-1, 'again'],
        ]),
      )
    })

    it('leaves writes behind with their checkpoint when the next one is saved', async () => {
      const thread = await opened()
      await line(thread, 1)
      await thread.putWrites('cp-1', 'task', [{ channel: 'c', value: 1 }])
      await thread.save(state(2))
      expect((await thread.load())?.pendingWrites).toEqual([])
      expect((await thread.load('cp-1'))?.pendingWrites).toHaveLength(1)
    })
  })

  describe('parents and branches', () => {
    it('branches within a thread, from any checkpoint', async () => {
      const thread = await opened()
      await line(thread, 3)
      await thread.save({ messages: ['other way'], count: 30 }, { id: 'branch', parent: 'cp-1' })
      await thread.save({ messages: ['further'], count: 40 }, { id: 'branch-2' })
      expect(await thread.load()).toMatchObject({ id: 'branch-2', parentId: 'branch', state: { count: 40 } })
      expect(await thread.load('branch')).toMatchObject({
        parentId: 'cp-1',
        state: { messages: ['other way'] },
      })
      expect((await thread.load('cp-3'))?.state).toEqual(state(3))
    })

    it('starts from nothing again when told so', async () => {
      const thread = await opened()
      await line(thread, 2)
      await thread.save(state(1), { parent: null })
      expect(await thread.load()).not.toHaveProperty('parentId')
    })
  })

  describe('namespaces', () => {
    it('counts, loads and lists each by itself, in one thread', async () => {
      const checkpointer = await open()
      const [root, sub, deep] = ['', 'sub', 'sub|deep'].map((namespace) =>
        checkpointer.thread<State>('t', { namespace }),
      ) as [Thread<State>, Thread<State>, Thread<State>]
      await root.save(state(1), { id: 'x' })
      await sub.save(state(2), { id: 'x' })
      await sub.save(state(3), { id: 'y' })
      await deep.save(state(4), { id: 'x' })

      expect(sub.namespace).toBe('sub')
      expect(await root.load('x')).toMatchObject({ namespace: '', seq: 1, state: state(1) })
      expect(await sub.load('x')).toMatchObject({ namespace: 'sub', seq: 1, state: state(2) })
      expect(await deep.load()).toMatchObject({ namespace: 'sub|deep', seq: 1, state: state(4) })
      expect(await root.load('y')).toBeUndefined()
      expect(await seqs(sub.history())).toEqual([2, 1])
      expect(await threadIds(checkpointer)).toEqual(['t'])
    })

    it('lists a thread that has checkpoints in a namespace alone', async () => {
      const checkpointer = await open()
      await checkpointer.thread('t', { namespace: 'sub' }).save(state(1))
      const [summary] = await collect(checkpointer.threads())
      expect(summary?.id).toBe('t')
      expect(summary).not.toHaveProperty('head')
    })
  })

  describe('sources', () => {
    it('keeps each of the four, and words of the caller’s own', async () => {
      const thread = await opened()
      const sources: Source[] = ['input', 'loop', 'update', 'fork', 'restored from a backup']
      for (const source of sources) await thread.save(state(1), { source })
      const kept = (await collect(thread.history({ order: 'oldest' }))).map(({ source }) => source)
      expect(kept).toEqual(sources)
      expect(await seqs(thread.history({ where: { source: 'update' } }))).toEqual([3])
    })
  })

  describe('list_threads', () => {
    it('names each thread that has a checkpoint, the latest first', async () => {
      const checkpointer = await open()
      for (const id of ['a', 'b', 'c', 'a']) {
        await checkpointer.thread<State>(id).save(state(1))
        await new Promise((resolve) => setTimeout(resolve, 3))
      }
      expect((await collect(checkpointer.threads())).map(({ id }) => id)).toEqual(['a', 'c', 'b'])
      expect((await collect(checkpointer.threads({ limit: 2 }))).map(({ id }) => id)).toEqual(['a', 'c'])
      expect(
        (await collect(checkpointer.threads({ where: ({ id }) => id !== 'c' }))).map(({ id }) => id),
      ).toEqual(['a', 'b'])
    })

    it('does not name a thread whose checkpoints were all deleted, until it is saved to again', async () => {
      const checkpointer = await open()
      const thread = checkpointer.thread<State>('t')
      await line(thread, 2)
      await thread.deleteCheckpoints(['cp-1', 'cp-2'])
      expect(await thread.load()).toBeUndefined()
      expect(await threadIds(checkpointer)).toEqual([])
      await thread.save(state(5))
      expect(await threadIds(checkpointer)).toEqual(['t'])
      expect(await thread.load()).toMatchObject({ seq: 3, state: state(5) })
    })

    it('nor one whose checkpoints in other namespaces were all deleted', async () => {
      const checkpointer = await open()
      const sub = checkpointer.thread<State>('t', { namespace: 'sub' })
      await line(sub, 2)
      await sub.deleteCheckpoints(['cp-1', 'cp-2'])
      expect(await threadIds(checkpointer)).toEqual([])
    })

    it('counts the threads that it names', async () => {
      const checkpointer = await open()
      const thread = checkpointer.thread<State>('t')
      await line(thread, 1)
      expect(await checkpointer.usage()).toMatchObject({ threads: 1, checkpoints: 1 })
      await thread.deleteCheckpoints(['cp-1'])
      expect(await checkpointer.usage()).toMatchObject({ threads: 0, checkpoints: 0 })
    })
  })

  describe('delete_thread', () => {
    it('deletes it with all its namespaces and writes, and no other', async () => {
      const checkpointer = await open()
      const [a, b] = [checkpointer.thread<State>('a'), checkpointer.thread<State>('b')]
      const sub = checkpointer.thread<State>('a', { namespace: 'sub' })
      await line(a, 3)
      await line(b, 2)
      await sub.save(state(1))
      await a.putWrites('cp-3', 'task', [{ channel: 'c', value: 1 }])
      expect(await a.delete()).toBe(true)
      expect(await a.load()).toBeUndefined()
      expect(await sub.load()).toBeUndefined()
      expect(await threadIds(checkpointer)).toEqual(['b'])
      expect(await ids(b)).toEqual(['cp-1', 'cp-2'])
      expect(await checkpointer.usage()).toMatchObject({ threads: 1, checkpoints: 2 })
    })

    it('is no error for one that is not there', async () => {
      expect(await (await opened()).delete()).toBe(false)
    })
  })

  describe('delete_checkpoints', () => {
    it('deletes the ones named, says how many, and leaves the others whole', async () => {
      const thread = await opened()
      await line(thread, 5)
      const { removed, kept } = await thread.deleteCheckpoints(['cp-2', 'cp-4', 'cp-9'])
      expect(removed).toEqual([2, 4].map((seq) => ({ namespace: '', seq })))
      expect(kept).toBe(3)
      expect(await ids(thread)).toEqual(['cp-1', 'cp-3', 'cp-5'])
      for (const n of [1, 3, 5]) expect((await thread.load(`cp-${n}`))?.state).toEqual(state(n))
      expect(await thread.load('cp-2')).toBeUndefined()
      expect(await thread.load(4)).toBeUndefined()
    })

    it('does nothing for none, for unknown ones and for an unknown thread', async () => {
      const checkpointer = await open()
      const thread = checkpointer.thread<State>('t')
      await line(thread, 2)
      expect((await thread.deleteCheckpoints([])).removed).toEqual([])
      expect((await thread.deleteCheckpoints(['nobody', 77])).removed).toEqual([])
      expect((await checkpointer.thread('elsewhere').deleteCheckpoints(['cp-1'])).removed).toEqual([])
      expect(await ids(thread)).toEqual(['cp-1', 'cp-2'])
    })

    it('falls back to the last one left when the head is deleted, and goes on from there', async () => {
      const thread = await opened()
      await line(thread, 3)
      await thread.deleteCheckpoints(['cp-3'])
      expect(await thread.load()).toMatchObject({ id: 'cp-2', state: state(2) })
      const { seq } = await thread.save(state(9), { id: 'cp-9' })
      expect(seq).toBe(4)
      expect(await thread.load()).toMatchObject({ parentId: 'cp-2', state: state(9) })
    })
  })

  describe('delete_by_run', () => {
    it('deletes what the run saved, and says how many', async () => {
      const thread = await opened()
      await line(thread, 5)
      await thread.save(state(6), { id: 'no-run' })
      expect((await thread.deleteRun('odd')).removed).toHaveLength(3)
      expect(await ids(thread)).toEqual(['cp-2', 'cp-4', 'no-run'])
      expect((await thread.load('cp-4'))?.state).toEqual(state(4))
      expect((await thread.deleteRun('odd')).removed).toEqual([])
      expect((await thread.deleteRun('unknown')).removed).toEqual([])
    })

    it('deletes in its own thread only', async () => {
      const checkpointer = await open()
      const [a, b] = [checkpointer.thread<State>('a'), checkpointer.thread<State>('b')]
      await line(a, 2)
      await line(b, 2)
      await a.deleteRun('odd')
      expect(await ids(b)).toEqual(['cp-1', 'cp-2'])
      expect((await checkpointer.thread('elsewhere').deleteRun('odd')).removed).toEqual([])
    })
  })

  describe('copy_thread', () => {
    it('copies all checkpoints, with ids, parents, writes and namespaces', async () => {
      const checkpointer = await open()
      const source = checkpointer.thread<State>('source')
      await line(source, 3)
      await source.save(state(7), { id: 'branch', parent: 'cp-1', label: 'other' })
      await source.putWrites('cp-2', 'task', [{ channel: 'c', value: 1 }])
      await checkpointer.thread<State>('source', { namespace: 'sub' }).save(state(8), { id: 'in-sub' })

      const target = await source.copy('target')
      expectTypeOf(target).toEqualTypeOf<Thread<State>>()
      expect(target.id).toBe('target')
      const originals = await collect(source.history({ states: true }))
      const copies = await collect(target.history({ states: true }))
      expect(copies).toEqual(originals.map((each) => ({ ...each, thread: 'target' })))
      expect((await target.load('cp-2'))?.pendingWrites).toEqual([
        { taskId: 'task', index: 0, channel: 'c', value: 1 },
      ])
      expect(await checkpointer.thread('target', { namespace: 'sub' }).load()).toMatchObject({
        id: 'in-sub',
        state: state(8),
      })
    })

    it('makes a thread of its own: nothing done to one is seen in the other', async () => {
      const checkpointer = await open()
      const source = checkpointer.thread<State>('source')
      await line(source, 3)
      const target = await source.copy('target')
      await source.save(state(10), { id: 'in-source' })
      await target.save(state(20), { id: 'in-target' })
      await target.putWrites('cp-1', 'task', [{ channel: 'c', value: 1 }])
      await target.deleteCheckpoints(['cp-2'])
      expect(await ids(source)).toEqual(['cp-1', 'cp-2', 'cp-3', 'in-source'])
      expect(await ids(target)).toEqual(['cp-1', 'cp-3', 'in-target'])
      expect((await source.load('cp-1'))?.pendingWrites).toEqual([])
      await source.delete()
      expect(await ids(target)).toEqual(['cp-1', 'cp-3', 'in-target'])
      expect((await target.load('cp-3'))?.state).toEqual(state(3))
    })

    it('is an error without a source or onto a thread; theirs copies nothing, or mixes', async () => {
      const checkpointer = await open()
      const [a, b] = [checkpointer.thread<State>('a'), checkpointer.thread<State>('b')]
      await expect(a.copy('b')).rejects.toMatchObject({ code: 'NOT_FOUND' })
      await line(a, 2)
      await line(b, 1)
      await expect(a.copy('b')).rejects.toMatchObject({ code: 'CONFLICT' })
      expect(await ids(b)).toEqual(['cp-1'])
    })
  })

  describe('prune', () => {
    it('removes nothing from a line when ancestors are kept, as theirs does', async () => {
      const thread = await opened()
      await line(thread, 5)
      expect(await thread.prune({ keepLast: 2, ancestors: 'keep' })).toMatchObject({ removed: [], kept: 5 })
      expect(await ids(thread)).toHaveLength(5)
    })

    it('frees a line when they are not', async () => {
      const checkpointer = await open()
      const thread = checkpointer.thread<State>('t')
      await line(thread, 20)
      const before = await checkpointer.usage()
      const { removed, kept, bytes } = await thread.prune({ keepLast: 2 })
      expect(removed).toHaveLength(18)
      expect(kept).toBe(2)
      expect(bytes).toBeGreaterThan(0)
      expect(await ids(thread)).toEqual(['cp-19', 'cp-20'])
      for (const n of [19, 20]) expect((await thread.load(`cp-${n}`))?.state).toEqual(state(n))
      const after = await checkpointer.usage()
      expect(after.checkpoints).toBe(2)
      expect(after.bytes).toBeLessThan(before.bytes)
    })

    it('removes branches that lead to nothing kept, and no ancestor of what is', async () => {
      const thread = await opened()
      const save = (id: string, parent: string | null, count: number) =>
        thread.save(state(count), { id, parent })
      await save('root', null, 1)
      await save('left', 'root', 2)
      await save('left-2', 'left', 3)
      await save('right', 'root', 4)
      await save('right-2', 'right', 5)
      await save('right-3', 'right-2', 6)
      const { removed } = await thread.prune({ keepLast: 1, ancestors: 'keep' })
      expect(removed).toEqual([2, 3].map((seq) => ({ namespace: '', seq })))
      expect(await ids(thread)).toEqual(['root', 'right', 'right-2', 'right-3'])
      for (const [id, count] of [
        ['root', 1],
        ['right', 4],
        ['right-2', 5],
        ['right-3', 6],
      ] as const) {
        expect((await thread.load(id))?.state).toEqual(state(count))
      }
    })

    it('keeps the ancestors of all in the window, not of the head alone', async () => {
      const thread = await opened()
      const save = (id: string, parent: string | null, count: number) =>
        thread.save(state(count), { id, parent })
      await save('a', null, 1)
      await save('b', null, 2)
      await save('unrelated', null, 3)
      await save('a-2', 'a', 4)
      await save('b-2', 'b', 5)
      await thread.prune({ keepLast: 2, ancestors: 'keep' })
      expect(await ids(thread)).toEqual(['a', 'b', 'a-2', 'b-2'])
    })

    it.each([0, 1])('keeps the head with keepLast: %i', async (keepLast) => {
      const thread = await opened()
      await line(thread, 4)
      expect(await thread.prune({ keepLast })).toMatchObject({ kept: 1 })
      expect(await ids(thread)).toEqual(['cp-4'])
      expect((await thread.load())?.state).toEqual(state(4))
    })

    it('removes nothing when more are to be kept than there are', async () => {
      const thread = await opened()
      await line(thread, 3)
      expect((await thread.prune({ keepLast: 100 })).removed).toEqual([])
      expect(await ids(thread)).toHaveLength(3)
    })

    it('goes on when an ancestor is gone already', async () => {
      const thread = await opened()
      await line(thread, 5)
      await thread.deleteCheckpoints(['cp-3'])
      await thread.prune({ keepLast: 1, ancestors: 'keep' })
      expect(await ids(thread)).toEqual(['cp-4', 'cp-5'])
      expect((await thread.load('cp-4'))?.state).toEqual(state(4))
    })

    it('prunes one namespace and leaves the others', async () => {
      const checkpointer = await open()
      const [root, sub] = [
        checkpointer.thread<State>('t'),
        checkpointer.thread<State>('t', { namespace: 'sub' }),
      ]
      await line(root, 3)
      await line(sub, 3)
      await sub.prune({ keepLast: 1 })
      expect(await ids(sub)).toEqual(['cp-3'])
      expect(await ids(root)).toHaveLength(3)
    })

    it('is an error for a thread that is not there; theirs removes nothing', async () => {
      await expect((await opened()).prune({ keepLast: 1 })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    })

    it('tells what would go without doing it', async () => {
      const thread = await opened()
      await line(thread, 5)
      const would = await thread.prune({ keepLast: 2, dryRun: true })
      expect(await ids(thread)).toHaveLength(5)
      expect(await thread.prune({ keepLast: 2 })).toEqual(would)
    })
  })

  it('is shared by those who hold it: a clone of a handle sees the same thread', async () => {
    const checkpointer = await open()
    await checkpointer.thread<State>('t').save(state(1))
    expect((await checkpointer.thread<State>('t').load())?.state).toEqual(state(1))
  })
})

describe('tinyagents: durability modes', () => {
  it.each([
    ['sync', [1, 2, 3]],
    ['async', [1, 2, 3]],
    ['exit', [3]],
  ] as const)('%s: a run is there when it has ended', async (durability, steps) => {
    const storage = Object.assign(memoryStorage(), { close: async () => {} })
    const checkpointer = await openCheckpointer({ name: newName(), storage, durability })
    for (const step of [1, 2, 3]) await checkpointer.thread('t').save({ step }, { step })
    await checkpointer.close()
    const again = await openCheckpointer({ name: newName(), storage })
    const found: unknown[] = []
    for await (const { step } of again.thread('t').history({ order: 'oldest' })) found.push(step)
    expect(found).toEqual(steps)
    await again.close()
  })

  it.each(['Sync', ''])('%j is none', async (durability) => {
    const options = { name: newName(), storage: memoryStorage(), durability } as unknown as OpenOptions
    const refused: unknown = await openCheckpointer(options).catch((error: unknown) => error)
    expect(CheckpointerError.is(refused, 'INVALID')).toBe(true)
  })
})
