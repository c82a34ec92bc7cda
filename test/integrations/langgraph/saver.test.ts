import { AIMessage, HumanMessage } from '@langchain/core/messages'
import {
  emptyCheckpoint,
  ERROR,
  INTERRUPT,
  TASKS,
  uuid6,
  type Checkpoint,
  type CheckpointMetadata,
  type CheckpointTuple,
  type SerializerProtocol,
} from '@langchain/langgraph-checkpoint'
import { CheckpointerError, openCheckpointer, type Checkpointer, type Storage } from 'forkpoint'
import { ForkpointSaver } from 'forkpoint/langgraph'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it, onTestFinished, vi } from 'vitest'

const at = (thread: string, id?: string, namespace = '') => ({
  configurable: {
    thread_id: thread,
    checkpoint_ns: namespace,
    ...(id === undefined ? {} : { checkpoint_id: id }),
  },
})
const metadata = (step = 0, more: object = {}): CheckpointMetadata => ({
  source: 'loop',
  step,
  parents: {},
  ...more,
})

/** A checkpoint with these values, each of a version of its own. */
function holding(values: Record<string, unknown>, id = uuid6(0)): Checkpoint {
  const channel_versions = Object.fromEntries(Object.keys(values).map((name) => [name, 1]))
  return { ...emptyCheckpoint(), id, channel_values: values, channel_versions }
}

async function opened(storage: Storage = memoryStorage()): Promise<Checkpointer> {
  const checkpointer = await openCheckpointer({ name: 'saver', storage })
  onTestFinished(() => checkpointer.close())
  return checkpointer
}

const saverOver = async (serde?: SerializerProtocol) => new ForkpointSaver(await opened(), serde)

/** Puts it as LangGraph does, with all its versions new. */
const put = (saver: ForkpointSaver, config: object, checkpoint: Checkpoint, told = metadata()) =>
  saver.put(config, checkpoint, told, checkpoint.channel_versions)

async function listed(items: AsyncIterable<CheckpointTuple>): Promise<CheckpointTuple[]> {
  const list: CheckpointTuple[] = []
  for await (const item of items) list.push(item)
  return list
}

const idsOf = async (items: AsyncIterable<CheckpointTuple>) =>
  (await listed(items)).map(({ checkpoint }) => checkpoint.id)

it('sibling forks from one checkpoint keep their own data, also under the same versions', async () => {
  const saver = await saverOver()
  const root = await put(saver, at('t'), holding({ plan: 'none' }))
  const left = await put(saver, root, { ...holding({ plan: 'left' }), channel_versions: { plan: 2 } })
  const right = await put(saver, root, { ...holding({ plan: 'right' }), channel_versions: { plan: 2 } })
  const onLeft = { ...holding({ plan: 'left' }), channel_versions: { plan: 2 } }
  const after = await saver.put(left, onLeft, metadata(), {})
  const plans = [root, left, right, after].map(
    async (config) => (await saver.get(config))?.channel_values['plan'],
  )
  expect(await Promise.all(plans)).toEqual(['none', 'left', 'right', 'left'])
  expect((await saver.getTuple(left))?.parentConfig).toEqual(root)
  expect((await saver.getTuple(right))?.parentConfig).toEqual(root)
})

it('a checkpoint that names itself as its parent overwrites nothing and ends no history', async () => {
  const saver = await saverOver()
  const first = await put(saver, at('t'), holding({ n: 1 }, 'a'))
  const second = await put(saver, first, holding({ n: 2 }, 'b'))
  await put(saver, second, holding({ n: 3 }, 'b'))
  expect((await saver.get(first))?.channel_values).toEqual({ n: 1 })
  const tuple = await saver.getTuple(second)
  expect(tuple?.checkpoint.channel_values).toEqual({ n: 3 })
  expect(tuple?.parentConfig).toEqual(first)
  await put(saver, at('t', 'c'), holding({ n: 4 }, 'c'))
  expect((await saver.getTuple(at('t', 'c')))?.parentConfig).toBeUndefined()
})

it('what is put again under an id replaces it, with its writes kept and nothing else touched', async () => {
  const saver = await saverOver()
  const first = await put(saver, at('t'), holding({ n: 1 }, 'a'), metadata(1))
  const config = await put(saver, first, holding({ n: 2 }, 'b'), metadata(2))
  await saver.putWrites(config, [['found', 'Lisbon']], 'task')
  const child = await put(saver, config, holding({ n: 3 }, 'c'), metadata(3))
  for (const n of [20, 21]) await put(saver, first, holding({ n }, 'b'), metadata(n, { again: true }))
  const tuple = await saver.getTuple(config)
  expect(tuple?.checkpoint.channel_values).toEqual({ n: 21 })
  expect(tuple?.metadata).toEqual(metadata(21, { again: true }))
  expect(tuple?.pendingWrites).toEqual([['task', 'found', 'Lisbon']])
  expect(await idsOf(saver.list(at('t')))).toEqual(['c', 'b', 'a'])
  expect(await idsOf(saver.list(at('t'), { filter: { again: true } }))).toEqual(['b'])
  expect((await saver.getTuple(child))?.parentConfig).toEqual(config)
})

it('the latest is the one with the greatest id, whatever the order of writing', async () => {
  const checkpointer = await opened()
  const saver = new ForkpointSaver(checkpointer)
  for (const id of ['b', 'd', 'a', 'c', 'e', 'b2']) await put(saver, at('t'), holding({ id }, id))
  expect((await saver.getTuple(at('t')))?.checkpoint.id).toBe('e')
  expect(await idsOf(saver.list(at('t')))).toEqual(['e', 'd', 'c', 'b2', 'b', 'a'])
  expect(await idsOf(saver.list(at('t'), { before: at('t', 'd'), limit: 2 }))).toEqual(['c', 'b2'])
  // Another one, which has seen none of them put, goes on with that.
  const other = new ForkpointSaver(checkpointer)
  await put(other, at('t'), holding({}, 'dd'))
  expect((await other.get(at('t')))?.id).toBe('e')
  await checkpointer.thread('t').deleteCheckpoints(['e'])
  expect((await other.get(at('t')))?.id).toBe('dd')
})

it('goes on with its own branch of a thread that two devices have gone on with, or with the one that is chosen', async () => {
  const [here, there] = [await opened(), await opened()]
  const [mine, theirs] = [new ForkpointSaver(here), new ForkpointSaver(there)]
  await put(mine, at('t'), holding({ n: 1 }, 'a'))
  await here.sync(there)
  const b = await put(mine, at('t', 'a'), holding({ n: 'mine' }, 'b'))
  await put(theirs, at('t', 'a'), holding({ n: 'theirs' }, 'c'))
  expect((await here.sync(there)).diverged).toEqual(['t'])
  // Neither who has put on it before, nor who sees it for the first time.
  await put(mine, b, holding({ n: 'mine' }, 'd'))
  const fresh = new ForkpointSaver(here)
  await put(fresh, at('t', 'd'), holding({ n: 'mine' }, 'e'))
  for (const saver of [mine, fresh]) expect((await saver.getTuple(at('t')))?.checkpoint.id).toBe('e')
  expect((await here.thread('t').heads()).map(({ id }) => id)).toEqual(['e', 'c'])
  await here.thread('t').chooseHead('c')
  const after = await put(new ForkpointSaver(here), at('t', 'c'), holding({ n: 'theirs' }, 'f'))
  expect((await mine.getTuple(at('t')))?.parentConfig).toEqual(at('t', 'c'))
  expect(await mine.getTuple(after)).toMatchObject({ checkpoint: { channel_values: { n: 'theirs' } } })
})

it('two savers that put at once lose nothing, and agree on the latest', async () => {
  const storage = Object.assign(memoryStorage(), { close: async () => {} })
  const savers = [new ForkpointSaver(await opened(storage)), new ForkpointSaver(await opened(storage))]
  const ids = Array.from({ length: 20 }, (_, i) => `id-${String((i * 7) % 20).padStart(2, '0')}`)
  await Promise.all(
    ids.map((id, i) => put(savers[i % 2] as ForkpointSaver, at('t'), holding({ id }, id), metadata(i))),
  )
  for (const saver of savers) {
    expect((await saver.getTuple(at('t')))?.checkpoint.id).toBe('id-19')
    expect(await idsOf(saver.list(at('t')))).toEqual(ids.toSorted().reverse())
  }
})

it('a checkpoint may come before its parent', async () => {
  const saver = await saverOver()
  const child = await put(saver, at('t', 'parent'), holding({ n: 2 }, 'child'))
  expect((await saver.getTuple(child))?.parentConfig).toEqual(at('t', 'parent'))
  await put(saver, at('t'), holding({ n: 1 }, 'parent'))
  const tuple = await saver.getTuple(child)
  expect((await saver.getTuple(tuple?.parentConfig ?? {}))?.checkpoint.channel_values).toEqual({ n: 1 })
})

it('filters by the metadata alone: no name in one reaches anything else', async () => {
  const saver = await saverOver()
  await put(saver, at('t'), holding({}, 'a'), metadata(1, { user: 'ann', tags: { a: 1 } }))
  await put(saver, at('t'), holding({}, 'b'), metadata(2, { user: 'bob' }))
  const ids = (filter: object) => idsOf(saver.list({}, { filter: filter as Record<string, unknown> }))
  expect(await ids({ user: 'ann' })).toEqual(['a'])
  expect(await ids({ user: 'ann', step: 2 })).toEqual([])
  expect(await ids({ tags: { a: 1 } })).toEqual(['a'])
  expect(await ids({ tags: { a: 2 } })).toEqual([])
  const hostile = ["user') OR 1=1 --", 'user"', '$ne', '*', 'a.b', 'constructor', '__proto__', 'toString', '']
  for (const name of hostile) {
    expect(await ids({ [name]: 'ann' })).toEqual([])
    expect(await ids({ [name]: undefined })).toEqual([])
  }
  for (const value of ["ann' OR '1'='1", { $ne: 'ann' }, { $gt: '' }, /.*/, [], '%', '*'])
    expect(await ids({ user: value })).toEqual([])
  expect(await ids({})).toEqual(['b', 'a'])
})

it('names that JavaScript or a store could take for something else are names', async () => {
  const saver = await saverOver()
  const names = ['__proto__', 'constructor', 'a/b', 'a:b', "'; --", '*', 'ü', '..', '{"a":1}']
  for (const name of names) {
    const config = await put(saver, at(name, undefined, name), holding({ [name]: name }, name))
    await saver.putWrites(config, [[name, name]], name)
  }
  for (const name of names) {
    const tuple = await saver.getTuple(at(name, name, name))
    expect(Object.entries(tuple?.checkpoint.channel_values ?? {})).toEqual([[name, name]])
    expect(tuple?.pendingWrites).toEqual([[name, name, name]])
    expect(await idsOf(saver.list(at(name, undefined, name)))).toEqual([name])
  }
  expect({}).not.toHaveProperty('polluted')
})

it('bytes come back as bytes, in a channel and in a write', async () => {
  const saver = await saverOver()
  const bytes = new Uint8Array([0, 255, 7])
  const config = await put(saver, at('t'), holding({ bytes, inside: { bytes }, pair: ['json', [1, 2]] }))
  await saver.putWrites(config, [['bytes', bytes]], 'task')
  const tuple = await saver.getTuple(config)
  expect(tuple?.checkpoint.channel_values).toEqual({ bytes, inside: { bytes }, pair: ['json', [1, 2]] })
  expect(tuple?.pendingWrites).toEqual([['task', 'bytes', bytes]])
})

it('messages come back as their classes', async () => {
  const saver = await saverOver()
  const messages = [new HumanMessage('Hi'), new AIMessage({ content: 'Hello', id: '1' })]
  const config = await put(saver, at('t'), holding({ messages, when: new Set([1]), nothing: undefined }))
  await saver.putWrites(config, [['messages', messages]], 'task')
  const tuple = await saver.getTuple(config)
  const values = tuple?.checkpoint.channel_values
  for (const back of [values?.['messages'], tuple?.pendingWrites?.[0]?.[2]] as unknown[][]) {
    expect(back[0]).toBeInstanceOf(HumanMessage)
    expect(back[1]).toBeInstanceOf(AIMessage)
    expect((back[1] as AIMessage).content).toBe('Hello')
  }
  expect(values).toMatchObject({ when: new Set([1]) })
  expect(Object.keys(values ?? {})).toContain('nothing')
})

it('honours the serialiser that it is given', async () => {
  const encoder = new TextEncoder()
  const decoder = new TextDecoder()
  const rot = (text: string) => text.replace(/./gs, (char) => String.fromCharCode(char.charCodeAt(0) ^ 1))
  const serde: SerializerProtocol = {
    // Two forms of its own: one that is called JSON and is not what JSON.stringify makes, and one that is no text.
    async dumpsTyped(value) {
      if (typeof value === 'number') return ['json', encoder.encode(` ${value}.0`)]
      return ['secret', encoder.encode(rot(JSON.stringify(value)))]
    },
    async loadsTyped(type, data) {
      const text = typeof data === 'string' ? data : decoder.decode(data)
      if (type === 'json') expect(text).toMatch(/^ \d+\.0$/)
      return JSON.parse(type === 'secret' ? rot(text) : text)
    },
  }
  const checkpointer = await opened()
  const saver = new ForkpointSaver(checkpointer, serde)
  const config = await put(
    saver,
    at('t'),
    holding({ name: 'Lisbon', n: 7 }),
    metadata(1, { user: 'annabel' }),
  )
  await saver.putWrites(config, [['name', 'Porto']], 'task')
  const tuple = await saver.getTuple(config)
  expect(tuple?.checkpoint.channel_values).toEqual({ name: 'Lisbon', n: 7 })
  expect(tuple?.metadata).toEqual(metadata(1, { user: 'annabel' }))
  expect(tuple?.pendingWrites).toEqual([['task', 'name', 'Porto']])
  const stored = JSON.stringify(await checkpointer.thread('t').load(), (_, value: unknown) =>
    value instanceof Uint8Array ? decoder.decode(value) : value,
  )
  for (const word of ['Lisbon', 'Porto', 'annabel']) expect(stored).not.toContain(word)
})

it('captures everything when it is called', async () => {
  const saver = await saverOver()
  const checkpoint = holding({ list: ['a'] })
  const told = metadata(1)
  const putting = put(saver, at('t'), checkpoint, told)
  ;(checkpoint.channel_values['list'] as string[]).push('b')
  told.step = 2
  const config = await putting
  const list = ['a']
  const writing = saver.putWrites(config, [['list', list]], 'task')
  list.push('b')
  await writing
  const tuple = await saver.getTuple(config)
  expect(tuple?.checkpoint.channel_values).toEqual({ list: ['a'] })
  expect(tuple?.metadata?.step).toBe(1)
  expect(tuple?.pendingWrites).toEqual([['task', 'list', ['a']]])
})

it('keeps values of channels that have no version, and of a copy without a parent', async () => {
  const saver = await saverOver()
  const first = { ...holding({ versioned: 1 }), channel_values: { versioned: 1, plain: { deep: [2] } } }
  const config = await saver.put(at('t'), first, metadata(), { versioned: 1 })
  expect((await saver.get(config))?.channel_values).toEqual(first.channel_values)
  const copy = { ...first, id: uuid6(1) }
  const copied = await saver.put(at('t'), copy, metadata(0, { source: 'fork' }), {})
  expect((await saver.get(copied))?.channel_values).toEqual(first.channel_values)
})

it('a write of a task is kept once; of errors and interrupts the latest counts', async () => {
  const saver = await saverOver()
  const config = await put(saver, at('t'), holding({}))
  await saver.putWrites(
    config,
    [
      ['a', 1],
      [ERROR, 'one'],
      ['constructor', 2],
    ],
    'task',
  )
  await saver.putWrites(
    config,
    [
      ['b', 3],
      [ERROR, 'two'],
      [INTERRUPT, 4],
    ],
    'task',
    'a path',
  )
  await saver.putWrites(config, [['a', 5]], 'other')
  const writes = (await saver.getTuple(config))?.pendingWrites ?? []
  expect(new Set(writes.map((write) => JSON.stringify(write)))).toEqual(
    new Set(
      [
        ['task', 'a', 1],
        ['task', ERROR, 'two'],
        ['task', 'constructor', 2],
        ['task', INTERRUPT, 4],
        ['other', 'a', 5],
      ].map((write) => JSON.stringify(write)),
    ),
  )
})

it('with task paths, writes come back in the order of these, whichever task was done first', async () => {
  const saver = await saverOver()
  const config = await put(saver, at('t'), { ...holding({}), v: 1 })
  await saver.putWrites(config, [[TASKS, 'third']], 'a', '~__pregel_push, 0000000010')
  await saver.putWrites(config, [[TASKS, 'second']], 'b', '~__pregel_push, 0000000002')
  await saver.putWrites(config, [[TASKS, 'first']], 'c')
  const sent = ['first', 'second', 'third']
  expect((await saver.getTuple(config))?.pendingWrites?.map(([, , value]) => value)).toEqual(sent)
  const child = await put(saver, config, { ...holding({}), v: 1 })
  expect((await saver.get(child))?.channel_values[TASKS]).toEqual(sent)
})

it('what a step has yielded and its child holds is stored once, and comes back as it was written', async () => {
  const checkpointer = await opened()
  const saver = new ForkpointSaver(checkpointer)
  const text = 'It was moved to room 7. '.repeat(20)
  const message = { kind: 'said', text }
  const written: [string, unknown][] = [
    ['list', [message, { ...message, kind: 'heard' }]],
    ['item', message],
    ['whole', text],
    ['changed', [message]],
    ['other', [message]],
    ['small', 1],
  ]
  const root = await put(saver, at('t'), holding({}))
  const writing = saver.putWrites(root, written, 'task')
  const values = {
    // The state has given each an id, among what it had.
    list: [
      { kind: 'first', text },
      { id: 1, ...message },
      { ...message, kind: 'heard', more: { id: 2 } },
    ],
    item: [message, { ...message, id: 3 }],
    whole: text,
    changed: [{ ...message, text: `${text}!` }],
    small: 1,
  }
  const child = await put(saver, root, holding(values))
  await writing
  const wanted = written.map(([channel, value]) => ['task', channel, value])
  expect((await saver.getTuple(root))?.pendingWrites).toEqual(wanted)
  const [, first] = await listed(saver.list(at('t')))
  expect(first?.pendingWrites).toEqual(wanted)
  const stored = JSON.stringify((await checkpointer.thread('t').load(1))?.pendingWrites)
  expect(stored.split(text)).toHaveLength(3) // 'changed' and 'other' alone

  // Put again with something else, the child still has what was shared with it.
  await put(saver, root, { ...holding({}), id: child.configurable?.['checkpoint_id'] })
  expect((await saver.getTuple(root))?.pendingWrites).toEqual(wanted)
  await checkpointer.thread('t').deleteCheckpoints([child.configurable?.['checkpoint_id']])
  // The rest of the task's writes would pass for all of them.
  expect((await saver.getTuple(root))?.pendingWrites).toEqual([])
})

it('a write whose checkpoint gets no child, or one that fails, is stored by itself', async () => {
  const storage = memoryStorage()
  const checkpointer = await opened(storage)
  const saver = new ForkpointSaver(checkpointer)
  const text = 'It was moved to room 7. '.repeat(20)
  const root = await put(saver, at('t'), holding({}))
  const writing = saver.putWrites(root, [['text', text]], 'task')
  const failing = put(saver, root, holding({ text }, 'x'.repeat(300)))
  await expect(failing).rejects.toMatchObject({ code: 'INVALID' })
  await writing
  expect((await saver.getTuple(root))?.pendingWrites).toEqual([['task', 'text', text]])
})

it('what the serialiser refuses behind another put is told to its own caller alone', async () => {
  const unhandled = vi.fn()
  process.on('unhandledRejection', unhandled)
  onTestFinished(() => void process.off('unhandledRejection', unhandled))
  const storage: Storage = memoryStorage()
  const encoder = new TextEncoder()
  const serde: SerializerProtocol = {
    async dumpsTyped(value) {
      if (value === 'refused') throw new TypeError('not this')
      return ['json', encoder.encode(JSON.stringify(value))]
    },
    loadsTyped: async (_, data) =>
      JSON.parse(typeof data === 'string' ? data : new TextDecoder().decode(data)),
  }
  const saver = new ForkpointSaver(await opened(storage), serde)
  const commit = storage.commit.bind(storage)
  let goOn = (): void => {}
  const held = new Promise<void>((resolve) => (goOn = resolve))
  storage.commit = async (...given) => {
    await held
    return commit(...given)
  }
  const first = put(saver, at('t'), holding({ n: 1 }, 'a'))
  const second = put(saver, at('t', 'a'), holding({ n: 'refused' }, 'b'))
  const refused = expect(second).rejects.toThrow('not this')
  await new Promise((resolve) => setTimeout(resolve, 50))
  goOn()
  await Promise.all([first, refused])
  expect(unhandled).not.toHaveBeenCalled()
  expect(await idsOf(saver.list({}))).toEqual(['a'])
})

it('takes writes for a checkpoint whose put is not awaited, or queued behind another', async () => {
  const saver = await saverOver()
  const first = saver.put(at('t'), holding({}, 'a'), metadata(), {})
  const second = first.then(() => saver.put(at('t', 'a'), holding({}, 'b'), metadata(), {}))
  await Promise.all([
    first,
    saver.putWrites(at('t', 'a'), [['found', 1]], 'task'),
    saver.putWrites(at('t', 'b'), [['found', 2]], 'task'),
    second,
  ])
  expect((await saver.getTuple(at('t', 'a')))?.pendingWrites).toEqual([['task', 'found', 1]])
  expect((await saver.getTuple(at('t', 'b')))?.pendingWrites).toEqual([['task', 'found', 2]])
  const lost = saver.putWrites(at('t', 'c'), [['found', 3]], 'task')
  await expect(lost).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

it('gives versions that rise, are unlike those of others, and need no saver', async () => {
  const saver = await saverOver()
  const { getNextVersion } = saver
  const versions = Array.from({ length: 100 }, () => getNextVersion(7))
  expect(new Set(versions).size).toBe(100)
  for (const version of versions) {
    expect(version).toBeGreaterThanOrEqual(8)
    expect(getNextVersion(version)).toBeGreaterThan(version)
  }
  expect(getNextVersion(undefined)).toBeGreaterThan(0)
})

it('says so when a checkpoint is not one of LangGraph', async () => {
  const checkpointer = await opened()
  const saver = new ForkpointSaver(checkpointer)
  const { id } = await checkpointer.thread('mine').save({ messages: [] })
  await put(saver, at('t'), holding({}, 'a'))
  for (const config of [at('mine'), at('mine', id)]) {
    const error: unknown = await saver.getTuple(config).catch((reason: unknown) => reason)
    expect(CheckpointerError.is(error, 'UNSUPPORTED')).toBe(true)
  }
  expect(await idsOf(saver.list({}))).toEqual(['a'])
})
