import {
  DeltaSnapshot,
  emptyCheckpoint,
  TASKS,
  uuid6,
  type Checkpoint,
} from '@langchain/langgraph-checkpoint'
import { openCheckpointer, type CheckpointerEvent } from 'forkpoint'
import { ForkpointSaver } from 'forkpoint/langgraph'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it, onTestFinished } from 'vitest'

async function newSaver(): Promise<ForkpointSaver> {
  const checkpointer = await openCheckpointer({ name: 'upkeep', storage: memoryStorage() })
  onTestFinished(() => checkpointer.close())
  return new ForkpointSaver(checkpointer)
}

const at = (thread: string, namespace = '') => ({
  configurable: { thread_id: thread, checkpoint_ns: namespace },
})

const holding = (values: Record<string, unknown>, more: Partial<Checkpoint> = {}): Checkpoint => ({
  ...emptyCheckpoint(),
  id: uuid6(0),
  channel_values: values,
  ...more,
})

const put = (saver: ForkpointSaver, config: object, checkpoint: Checkpoint, more: object = {}) =>
  saver.put(config, checkpoint, { source: 'loop', step: 0, parents: {}, ...more }, {})

async function fill(saver: ForkpointSaver, config: object, count: number, more?: object) {
  let last = config
  for (let n = 1; n <= count; n++) last = await put(saver, last, holding({ n }), more)
  return last
}

async function countOf(saver: ForkpointSaver, config: object): Promise<number> {
  let count = 0
  for await (const _ of saver.list(config)) count++
  return count
}

it('prune keeps the latest of each namespace with its writes, or nothing', async () => {
  const saver = await newSaver()
  const last = await fill(saver, at('a'), 5)
  await saver.putWrites(last, [['found', 1]], 'task')
  const inner = await fill(saver, at('a', 'sub:1'), 3)
  await fill(saver, at('b'), 2)
  await saver.prune(['a'], { strategy: 'keep_latest' })
  expect(await countOf(saver, at('a'))).toBe(1)
  expect(await countOf(saver, at('a', 'sub:1'))).toBe(1)
  expect((await saver.getTuple(at('a')))?.pendingWrites).toEqual([['task', 'found', 1]])
  expect((await saver.get(inner))?.channel_values).toEqual({ n: 3 })
  await fill(saver, last, 1)
  expect(await countOf(saver, at('a'))).toBe(2)
  await saver.prune(['a'], { strategy: 'delete' })
  expect(await countOf(saver, { configurable: {} })).toBe(2)
  await expect(saver.prune(['b'], { strategy: 'all' as never })).rejects.toMatchObject({ code: 'INVALID' })
})

it('prune keeps what the latest is made of: the writes of a delta channel, and what was sent', async () => {
  const saver = await newSaver()
  await fill(saver, at('delta'), 2)
  const seed = await put(saver, at('delta'), holding({ log: new DeltaSnapshot([0]) }))
  await saver.putWrites(seed, [['log', [1]]], 'task')
  const next = await put(saver, seed, holding({}), { counters_since_delta_snapshot: { log: [1, 1] } })
  await saver.putWrites(next, [['log', [2]]], 'task')
  const latest = await put(saver, next, holding({}), { counters_since_delta_snapshot: { log: [2, 2] } })
  const before = await saver.getDeltaChannelHistory({ config: latest, channels: ['log'] })
  await saver.prune(['delta'])
  expect(await countOf(saver, at('delta'))).toBe(3)
  expect(await saver.getDeltaChannelHistory({ config: latest, channels: ['log'] })).toEqual(before)

  const parent = await put(saver, at('old'), holding({}, { v: 1 }))
  await saver.putWrites(parent, [[TASKS, 'sent']], 'task')
  const child = await put(saver, parent, holding({}, { v: 1 }))
  await saver.prune(['old'])
  expect((await saver.get(child))?.channel_values[TASKS]).toEqual(['sent'])
})

it('deletes what some runs have saved, in all threads and namespaces', async () => {
  const saver = await newSaver()
  for (const thread of ['a', 'b']) {
    const kept = await fill(saver, at(thread), 2, { run_id: 'one' })
    const config = { configurable: { ...(kept as ReturnType<typeof at>).configurable, run_id: 'two' } }
    await put(saver, config, holding({ n: 3 }))
    await fill(saver, at(thread, 'sub'), 2, { run_id: 'two' })
  }
  await saver.deleteForRuns(['two', 'none'])
  for (const thread of ['a', 'b']) {
    expect(await countOf(saver, at(thread))).toBe(2)
    expect(await countOf(saver, at(thread, 'sub'))).toBe(0)
    expect((await saver.get(at(thread)))?.channel_values).toEqual({ n: 2 })
  }
})

it('a copy has all that its origin had, and goes its own way', async () => {
  const saver = await newSaver()
  const last = await fill(saver, at('a'), 3)
  await saver.putWrites(last, [['found', 1]], 'task')
  await fill(saver, at('a', 'sub'), 2)
  await saver.copyThread('a', 'b')
  expect([await countOf(saver, at('b')), await countOf(saver, at('b', 'sub'))]).toEqual([3, 2])
  expect((await saver.getTuple(at('b')))?.pendingWrites).toEqual([['task', 'found', 1]])
  await saver.deleteThread('a')
  await fill(saver, at('b'), 1)
  expect([await countOf(saver, at('a')), await countOf(saver, at('b'))]).toEqual([0, 4])
  await expect(saver.copyThread('b', 'b')).rejects.toMatchObject({ code: 'CONFLICT' })
})

it('a fork at what was put again has that, and before it what was there', async () => {
  const saver = await newSaver()
  const text = 'It was moved to room 7. '.repeat(20)
  const root = await put(saver, at('a'), holding({}))
  const writing = saver.putWrites(root, [['text', text]], 'task')
  const first = holding({ text })
  const middle = await put(saver, root, first)
  await writing
  await put(saver, root, { ...first, channel_values: { text: 'short', more: 1 } })
  await saver.putWrites(middle, [['text', 'later']], 'task')
  await put(saver, middle, holding({ text: 'later' }))
  await saver.fork('a', first.id, 'b')
  const tuple = await saver.getTuple(at('b'))
  expect(tuple?.checkpoint.channel_values).toEqual({ text: 'short', more: 1 })
  expect(tuple?.pendingWrites).toEqual([])
  const before = await saver.getTuple(tuple?.parentConfig ?? {})
  expect(before?.pendingWrites).toEqual([['task', 'text', text]])
})

it('takes lists of ids, and not one id for a list of its characters', async () => {
  const saver = await newSaver()
  await fill(saver, at('a'), 2)
  const one = 'a' as unknown as readonly string[]
  await expect(saver.prune(one, { strategy: 'delete' })).rejects.toMatchObject({ code: 'INVALID' })
  await expect(saver.deleteForRuns(one)).rejects.toMatchObject({ code: 'INVALID' })
  expect(await countOf(saver, at('a'))).toBe(2)
})

it('tells the threads, and each change as it happens', async () => {
  const saver = await newSaver()
  const seen: CheckpointerEvent[] = []
  const stop = saver.subscribe((event) => void seen.push(event))
  const config = await fill(saver, at('a'), 1)
  await saver.putWrites(config, [['found', 1]], 'task')
  await fill(saver, at('b'), 1)
  await saver.deleteThread('b')
  stop()
  expect(seen.map(({ type }) => type)).toEqual(['saved', 'writes', 'saved', 'deleted'])
  const ids: string[] = []
  for await (const { id } of saver.threads()) ids.push(id)
  expect(ids).toEqual(['a'])
})

it('prune keeps what the head has, not what another device has put beside it', async () => {
  const open = () => openCheckpointer({ name: 'upkeep', storage: memoryStorage() })
  const [here, there] = [await open(), await open()]
  onTestFinished(async () => void (await Promise.all([here.close(), there.close()])))
  const saver = new ForkpointSaver(here)
  const both = await put(saver, at('t'), holding({ n: 1 }, { id: 'a' }))
  await here.sync(there)
  await put(saver, both, holding({ n: 'mine' }, { id: 'b' }))
  await put(new ForkpointSaver(there), both, holding({ n: 'theirs' }, { id: 'c' }))
  await here.sync(there)
  await saver.prune(['t'])
  expect((await saver.get(at('t')))?.channel_values).toEqual({ n: 'mine' })
  expect(await countOf(saver, at('t'))).toBe(1)
})
