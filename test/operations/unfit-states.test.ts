import { openCheckpointer, type Checkpointer } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createHost } from '../../src/operations/create-host.ts'
import type { Host, SyncRow } from '../../src/operations/host.ts'
import { mapHost } from '../../src/operations/verbs.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const place = { thread: 'bad', namespace: '' }

/** Rows that are not damaged, and yet no states: who may write to a thread can put them there. */
const UNFIT: [string, string][] = [
  ['a change that does not fit what it is for', '[["=",["not","there"],1]]'],
  ['a change to what no value is', '[["=",["n"],{"$fp":["nothing","x"]}]]'],
]

async function storeWith(delta: string): Promise<{ host: Host; store: Checkpointer }> {
  const host = await createHost({ storage: memoryStorage() })
  const store = await openCheckpointer({ name: 'unfit', host })
  onTestFinished(() => store.close())
  await store.thread('good').save({ n: 1 })
  const { saved } = await host.save({
    ...place,
    key: 'one',
    createdAt: 1,
    fields: {},
    frame: { body: bytes('{"n":1}') },
  })
  const base = { id: saved?.id ?? '', key: 'one' }
  await host.save({ ...place, key: 'two', createdAt: 2, fields: {}, frame: { base, body: bytes(delta) } })
  await store.thread('good').save({ n: 2 })
  return { host, store }
}

async function fileOf(store: Checkpointer, onDamage?: 'skip'): Promise<Blob> {
  const pieces = []
  for await (const piece of store.export(undefined, onDamage ? { onDamage } : {})) pieces.push(piece)
  return new Blob(pieces)
}

describe.each(UNFIT)('%s', (_, delta) => {
  it('is found by verify', async () => {
    const { store } = await storeWith(delta)
    const { problems } = await store.verify()
    expect(problems).toMatchObject([{ thread: 'bad', seq: 2, kind: 'unreadable' }])
  })

  it('makes no file that could not be imported', async () => {
    const { store } = await storeWith(delta)
    await expect(fileOf(store)).rejects.toMatchObject({ code: 'CORRUPT' })
    const file = await fileOf(store, 'skip')
    const other = await openCheckpointer({ name: 'other', storage: memoryStorage() })
    onTestFinished(() => other.close())
    await other.import(file)
    expect((await other.thread('good').load())?.state).toEqual({ n: 2 })
    expect((await other.thread('bad').load(1))?.state).toEqual({ n: 1 })
  })

  it('keeps no other thread of its family from going, nor a later state from coming', async () => {
    const { store } = await storeWith(delta)
    await store.thread('bad').save({ n: 3 })
    await store.thread('bad').fork({ as: 'twin' })
    await store.thread('bad').prune({ keepLast: 1 })
    expect((await store.thread('twin').load())?.state).toEqual({ n: 3 })
    await store.thread('twin').delete()
    expect((await store.thread('bad').load())?.state).toEqual({ n: 3 })
  })

  it('is left out where a store that lies gives it to a sync', async () => {
    const host = await createHost({ storage: memoryStorage() })
    const far = await openCheckpointer({ name: 'far', host })
    const lying = await openCheckpointer({
      name: 'lying',
      host: mapHost(host, (run, verb) => async (request) => {
        if (verb === 'close') return undefined
        const reply = await run(request)
        if (verb !== 'syncGive') return reply
        const { rows, ...rest } = reply as { rows: { info: { seq: number } }[] }
        return {
          ...rest,
          rows: rows.map((row) => (row.info.seq === 2 ? { ...row, body: bytes(delta) } : row)),
        }
      }),
    })
    const mine = await openCheckpointer({ name: 'mine', storage: memoryStorage() })
    onTestFinished(async () => {
      for (const each of [mine, lying, far]) await each.close()
    })
    const text = 'long enough to be kept as what has changed '.repeat(100)
    for (let n = 1; n <= 3; n++) await far.thread('t').save({ n, text })
    await mine.sync(lying, { direction: 'pull' })
    expect((await mine.verify()).problems).toEqual([])
    expect((await mine.thread<{ n: number }>('t').load())?.state.n).toBeGreaterThan(0)
    await mine.sync(far, { direction: 'pull' })
    const all = []
    for await (const { state } of mine.thread<{ n: number }>('t').history({ states: true })) all.push(state.n)
    expect(all.toSorted((a, b) => a - b)).toEqual([1, 2, 3])
  })
})

describe('what is said of a checkpoint', () => {
  const extra = (size: number): [string, string][] => [['a', 'x'.repeat(size)]]

  it('has a bound, so that one checkpoint cannot keep a whole store from being exported', async () => {
    const { host, store } = await storeWith('[]')
    const save = (size: number): Promise<unknown> =>
      host.save({
        ...place,
        key: `of ${size}`,
        createdAt: 3,
        fields: { extra: extra(size) },
        // Each of them escaped in a line.
        frame: { body: bytes(JSON.stringify('\\'.repeat(200_000))) },
      })
    await save(990_000)
    await expect(save(1_100_000)).rejects.toMatchObject({ code: 'TOO_LARGE', outcome: 'none' })
    await expect(
      store.thread('bad').save({ n: 4 }, { extra: { a: 'x'.repeat(1_100_000) } }),
    ).rejects.toMatchObject({ code: 'TOO_LARGE' })
    expect((await fileOf(store)).size).toBeGreaterThan(990_000)
  })
})

describe('rows of a sync', () => {
  const row = (id: string, seq: number, body: string, base?: string): SyncRow => ({
    info: { id, seq, createdAt: seq, ...(seq > 1 ? { parent: { id: 'k', seq: 1 } } : {}) },
    ...(base ? { base: { id: base, key: base } } : {}),
    body: bytes(body),
    writes: [],
  })

  it.each([...UNFIT.map(([, delta]) => delta), 'no JSON', '{"a":1}'])(
    'are looked at whichever row of the same message they start from: %s',
    async (bad) => {
      const host = await createHost({ storage: memoryStorage() })
      const store = await openCheckpointer({ name: 'taking', host })
      onTestFinished(() => store.close())
      const { damaged } = await host.syncTake({
        thread: 't',
        namespace: '',
        about: { createdAt: 1 },
        past: [],
        isLast: true,
        heads: [{ seq: 2, id: 'l' }],
        rows: [row('k', 1, '{"n":1}'), row('l', 2, '[["=",["n"],2]]', 'k'), row('m', 3, bad, 'k')],
      })
      expect(damaged).toEqual([3])
      expect((await store.verify()).problems).toEqual([])
      expect((await store.thread('t').load({ id: 'l' }))?.state).toEqual({ n: 2 })
    },
  )
})

it('an export reads the state that many forks begin at once, and not for each', async () => {
  const storage = memoryStorage()
  const store = await openCheckpointer({ name: 'forks', storage })
  onTestFinished(() => store.close())
  const origin = store.thread<{ text: string; n: number }>('origin')
  await origin.save({ text: 'long '.repeat(20_000), n: 0 })
  for (let n = 1; n <= 60; n++)
    await origin.fork({ at: 1, as: `fork-${n}`, edit: (state) => void (state.n = n) })
  let bytesRead = 0
  const read = storage.read.bind(storage)
  storage.read = async (...asked) => {
    const found = await read(...asked)
    for (const { body } of found.flat()) bytesRead += body?.length ?? 0
    return found
  }
  await fileOf(store)
  expect(bytesRead).toBeLessThan(2_000_000)
})
