import { openCheckpointer, type Checkpointer, type CheckpointerEvent } from 'forkpoint'
import { remoteHost } from 'forkpoint/client'
import { createHandler, familiesHost, type FamilyIndex, type IndexedThread } from 'forkpoint/server'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it, onTestFinished, vi } from 'vitest'
import { hostOf } from '../../src/checkpointer/host-of.ts'
import type { Host } from '../../src/operations/host.ts'

/** An index in memory, which counts what it is asked. */
function memoryIndex() {
  const entries = new Map<string, IndexedThread>()
  const asked: string[] = []
  const index: FamilyIndex = {
    async find(thread) {
      asked.push('find')
      return entries.get(thread)
    },
    async enter(entry) {
      asked.push('enter')
      if (!entries.has(entry.thread)) entries.set(entry.thread, entry)
      return entries.get(entry.thread) as IndexedThread
    },
    async touch(thread, rank) {
      asked.push('touch')
      if (failing.touch) throw new Error('The index is not to be reached.')
      const entry = entries.get(thread)
      if (entry && entry.rank < rank) entries.set(thread, { ...entry, rank })
    },
    async list({ limit, after }) {
      asked.push('list')
      if (failing.index) throw new Error('The index is not to be reached.')
      const all = [...entries.values()].sort((a, b) => b.rank - a.rank || (a.thread < b.thread ? -1 : 1))
      const from = after
        ? all.filter(
            ({ rank, thread }) => rank < after.rank || (rank === after.rank && thread > after.thread),
          )
        : all
      return from.slice(0, limit)
    },
  }
  const failing = { index: false, touch: false }
  return { index, entries, asked, failing }
}

interface Edge {
  /** A checkpointer over all families, made anew as for each request. */
  open(): Promise<Checkpointer>
  readonly entries: Map<string, IndexedThread>
  readonly asked: string[]
  readonly failing: { index: boolean; touch: boolean }
}

async function edge(): Promise<Edge> {
  const { index, entries, asked, failing } = memoryIndex()
  const stores = new Map<string, (request: Request) => Promise<Response>>()
  const serve = (name: string) => {
    const store = openCheckpointer({ name, storage: memoryStorage() })
    const handler = createHandler(() => store, { authorize: () => true })
    stores.set(name, handler)
    return handler
  }
  const known = new Map<string, string>()
  const open = async (): Promise<Checkpointer> => {
    const family = (name: string) =>
      remoteHost('http://family/', {
        fetch: (input, init) => (stores.get(name) ?? serve(name))(new Request(input as URL, init)),
      })
    const checkpointer = await openCheckpointer({
      name: 'edge',
      host: familiesHost({ index, family, known }),
    })
    onTestFinished(() => checkpointer.close())
    return checkpointer
  }
  return { open, entries, asked, failing }
}

it('what others do to any family is heard, each once', async () => {
  const { open } = await edge()
  const [one, other] = [await open(), await open()]
  await other.thread('there before').save({ n: 1 })
  const heard: CheckpointerEvent[] = []
  one.subscribe((event) => heard.push(event))
  const types = () => heard.map((event) => `${event.type} ${'thread' in event ? event.thread : ''}`)
  await vi.waitFor(() => expect(types()).toEqual(['saved there before']), 5_000)
  await other.thread('trip').save({ n: 1 })
  await vi.waitFor(() => expect(types()).toContain('saved trip'), 5_000)
  await other.thread('trip').save({ n: 2 })
  await vi.waitFor(() => expect(types().filter((type) => type === 'saved trip')).toHaveLength(2), 5_000)
  await other.thread('trip').fork({ as: 'twin' })
  await vi.waitFor(() => expect(types()).toContain('forked twin'), 5_000)
  await other.thread('trip').delete()
  await vi.waitFor(() => expect(types()).toContain('deleted trip'), 5_000)
  // Two more looks tell nothing again.
  await new Promise((resolve) => setTimeout(resolve, 2_200))
  expect(types()).toEqual(['saved there before', 'saved trip', 'saved trip', 'forked twin', 'deleted trip'])
})

it('who listens asks the index, and of the families only those that were changed', async () => {
  const { open, asked } = await edge()
  const store = await open()
  for (let n = 0; n < 5; n++) await store.thread(`t${n}`).save({ n })
  await new Promise((resolve) => setTimeout(resolve, 2_100))
  asked.length = 0
  const stop = store.subscribe(() => {})
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  stop()
  expect(new Set(asked)).toEqual(new Set(['list']))
  expect(asked.length).toBeLessThanOrEqual(4)
})

it('a stream of events ends when the index cannot be asked, so that its caller comes back', async () => {
  const { open, failing } = await edge()
  const store = await open()
  const handler = createHandler(store, { authorize: () => true })
  const { body } = await handler(new Request('http://localhost/events'))
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  expect((await reader.read()).done).toBe(false)
  failing.index = true
  const ends = async (): Promise<boolean> => (await reader.read()).done || ends()
  expect(await ends()).toBe(true)
})

it('the index is asked where a thread is once, also over many requests', async () => {
  const { open, asked } = await edge()
  await (await open()).thread('t').save({ n: 1 })
  asked.length = 0
  await (await open()).thread('t').save({ n: 2 })
  expect((await (await open()).thread('t').load())?.state).toEqual({ n: 2 })
  expect(asked).toEqual(['touch'])
})

it('a lease that is taken, kept and let go of changes nothing in the index', async () => {
  const { open, asked, entries } = await edge()
  const store = await open()
  await store.thread('t').save({ n: 1 })
  const before = entries.get('t')
  asked.length = 0
  const lease = await store.thread('t').lease()
  await lease.release()
  expect(asked).not.toContain('touch')
  expect(entries.get('t')).toEqual(before)
})

it('what is asked of a thread that is not there makes no entry, and keeps no name', async () => {
  const { open, entries } = await edge()
  const store = await open()
  await store.thread('nothing').delete()
  await expect(store.thread('nothing').prune({ keepLast: 1 })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(await store.thread('nothing').load()).toBeUndefined()
  await expect(store.thread('nothing').fork({ as: 'mine' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(store.thread('nothing').copy('mine')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect([...entries.keys()]).toEqual([])
  await store.thread('mine').save({ n: 1 })
  expect((await store.thread('mine').load())?.state).toEqual({ n: 1 })
})

it('a look at a thread that never was opens no store, and says what a store says of it', async () => {
  const { index } = memoryIndex()
  const family = vi.fn((): Host => {
    throw new Error('No family is to be asked.')
  })
  const many = familiesHost({ index, family })
  const one = hostOf(await openCheckpointer({ name: 'one', storage: memoryStorage() }))
  const place = { thread: 'nothing', namespace: '' }
  const looks: ((host: Host) => Promise<unknown>)[] = [
    (host) => host.head(place),
    (host) => host.heads(place),
    (host) => host.load(place),
    (host) => host.history({ ...place, limit: 1, order: 'newest', states: false }),
    (host) => host.namespaces({ thread: 'nothing' }),
    (host) => host.readWrites({ ...place, checkpoint: 1, from: 0, before: 1 }),
  ]
  for (const look of looks) expect(await look(many)).toEqual(await look(one))
})

it('what was saved is saved, also when the index cannot be told', async () => {
  const { open, failing } = await edge()
  const thread = (await open()).thread('t')
  await thread.save({ n: 1 })
  failing.touch = true
  expect((await thread.save({ n: 2 })).seq).toBe(2)
})

it('a run over families goes on elsewhere, under one lease', async () => {
  const { open } = await edge()
  const [one, other] = [await open(), await open()]
  const add = async (store: Checkpointer, to: number) =>
    store.thread<{ n: number }>('run').run({ initial: { n: 0 }, wait: true }, async (loop) => {
      while (loop.state.n < to) {
        loop.state.n = await loop.step('add', () => loop.state.n + 1)
        await loop.save()
      }
      return loop.state.n
    })
  const [a, b] = await Promise.all([add(one, 3), add(other, 3)])
  expect([a.result, b.result]).toEqual([3, 3])
})
