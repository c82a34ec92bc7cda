import { openCheckpointer } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { forkpointStorage } from 'forkpoint/store'
import { describe, expect, it, vi } from 'vitest'
import { countingStorage } from '../../bench/counting-storage.ts'
import { all, tabs } from './ground.ts'

const LONG = { every: 60_000 }

describe('an item', () => {
  it('is null before it was set, and after it was removed', async () => {
    const { storage } = await tabs()()
    expect(await storage.getItem('a')).toBeNull()
    await storage.setItem('a', { n: 1 })
    await storage.removeItem('a')
    expect(await storage.getItem('a')).toBeNull()
  })

  it('that is not there is removed without a trace', async () => {
    const { storage, checkpointer } = await tabs()()
    expect(await storage.getItem('a')).toBeNull()
    await storage.removeItem('a')
    await storage.flush()
    expect(await all(checkpointer.threads())).toEqual([])
  })

  it('is what was set last, in the same tab and in the next', async () => {
    const open = tabs()
    const { storage } = await open(LONG)
    for (let n = 1; n <= 5; n++) void storage.setItem('a', { n })
    expect(await storage.getItem('a')).toEqual({ n: 5 })
    await storage.flush()
    expect(await storage.getItem('a')).toEqual({ n: 5 })
    expect(await (await open()).storage.getItem('a')).toEqual({ n: 5 })
  })

  it('is set to what it was by a read that another has overtaken', async () => {
    const open = tabs()
    const { storage, checkpointer } = await open()
    const other = await open()
    await other.storage.setItem('a', 'before')
    await other.storage.flush()
    const thread = checkpointer.thread('a')
    const load = thread.load.bind(thread)
    let heard = (): void => {}
    const news = new Promise<void>((resolve) => (heard = resolve))
    vi.spyOn(checkpointer, 'thread').mockReturnValueOnce(thread)
    vi.spyOn(thread, 'load').mockImplementationOnce(async () => {
      const found = await load()
      await news
      return found
    })
    const reading = storage.getItem('a')
    await new Promise((resolve) => setTimeout(resolve, 50))
    storage.subscribe(heard)
    await other.storage.setItem('a', 'since')
    expect(await reading).toBe('before')
    await storage.setItem('a', 'before')
    await storage.flush()
    expect(await (await open()).storage.getItem('a')).toBe('before')
  })

  it('is taken as it is at the call, whatever the caller does next', async () => {
    const open = tabs()
    const { storage } = await open(LONG)
    const value = { list: [1], at: new Date(1), by: new Map([['a', [1]]]) }
    await storage.setItem('a', { list: [], at: new Date(0), by: new Map() })
    await storage.setItem('a', value)
    value.list.push(2)
    value.at.setTime(2)
    value.by.get('a')?.push(2)
    const taken = { list: [1], at: new Date(1), by: new Map([['a', [1]]]) }
    expect(await storage.getItem('a')).toEqual(taken)
    await storage.flush()
    expect(await (await open()).storage.getItem('a')).toEqual(taken)
  })

  it('changed in place is another', async () => {
    const open = tabs()
    const { storage } = await open(LONG)
    const value = { n: 1, at: new Date(0), set: new Set([1]), list: [{ a: 1 }], bytes: new Uint8Array([1]) }
    const changes = [
      () => value.n++,
      () => value.at.setTime(2),
      () => value.set.add(2),
      () => Object.assign(value.list[0] ?? {}, { a: 2 }),
      () => value.bytes.set([2]),
    ]
    await storage.setItem('a', value)
    for (const change of changes) {
      change()
      await storage.setItem('a', value)
      await storage.flush()
      expect(await (await open()).storage.getItem('a')).toEqual(value)
    }
  })

  it('that is set to what it is makes no checkpoint', async () => {
    const { storage } = await tabs()()
    const value = () => ({ list: [{ a: 1 }], at: new Date(5), by: new Map([['x', { y: new Set([1]) }]]) })
    for (let i = 0; i < 3; i++) {
      await storage.setItem('a', value())
      await storage.setItem('text', JSON.stringify(value()))
      await storage.flush()
    }
    expect(await all(storage.history('a'))).toHaveLength(1)
    expect(await all(storage.history('text'))).toHaveLength(1)
  })

  it('may be read, and changed by its reader, without changing what is kept', async () => {
    const { storage } = await tabs()()
    await storage.setItem('a', { list: [1] })
    await storage.flush()
    for (let i = 0; i < 2; i++) (await storage.getItem<{ list: number[] }>('a'))?.list.push(2)
    expect(await storage.getItem('a')).toEqual({ list: [1] })
    await storage.setItem('a', { list: [1, 2] })
    ;(await storage.getItem<{ list: number[] }>('a'))?.list.push(3)
    await storage.flush()
    expect(await storage.getItem('a')).toEqual({ list: [1, 2] })
  })

  it('keeps no functions, as stores hold their actions beside their state', async () => {
    const { storage, errors } = await tabs()()
    await storage.setItem('a', { state: { n: 1, add: () => {}, list: [() => {}, 2] }, version: 0 })
    await storage.flush()
    expect(await storage.getItem('a')).toEqual({ state: { n: 1, list: [null, 2] }, version: 0 })
    expect(errors).toEqual([])
  })

  it('may hold a circle', async () => {
    const open = tabs()
    const { storage } = await open()
    const value: { self?: object } = {}
    value.self = value
    await storage.setItem('a', value)
    await storage.flush()
    const found = await (await open()).storage.getItem<{ self: object }>('a')
    expect(found?.self).toBe(found)
  })

  it.each([
    '__proto__',
    'constructor',
    'a/b',
    'a:b',
    '%00',
    '\u0000',
    '🧨',
    "'; drop table",
    '*',
    'persist:root',
    ' ',
  ])('may have the name %j, and no other item is touched', async (name) => {
    const open = tabs()
    const { storage } = await open()
    await storage.setItem('other', { of: 'other' })
    await storage.setItem(name, { of: name })
    await storage.flush()
    const next = (await open()).storage
    expect(await next.getItem(name)).toEqual({ of: name })
    await next.removeItem(name)
    expect(await next.getItem('other')).toEqual({ of: 'other' })
  })

  it('must have a name', async () => {
    const { storage, errors } = await tabs()()
    await expect(storage.setItem('', {})).rejects.toMatchObject({ code: 'INVALID' })
    await expect(storage.getItem('')).rejects.toMatchObject({ code: 'INVALID' })
    expect(errors).toHaveLength(2)
  })
})

describe('a text', () => {
  it.each([
    ['JSON', '{"b":[1,{"a":"x"}],"a":null}'],
    ['JSON with spaces', '{ "a": 1 }'],
    ['JSON with a number that cannot be', '{"a":12345678901234567890,"b":1.0}'],
    ['JSON with a name twice', '{"a":1,"a":2}'],
    ['JSON with names of prototypes', '{"__proto__":{"x":1},"constructor":2,"toString":3}'],
    ['JSON in JSON', '{"_persist":"{\\"version\\":-1}","list":"[1,2]","no":"{ 1","n":1,"__proto__":"{}"}'],
    ['JSON with integer names', '{"2":"a","1":"b"}'],
    ['a list', '[1,2,"{}"]'],
    ['cut short', '{"a":'],
    ['plain', 'hello'],
    ['empty', ''],
    ['half a surrogate', '\ud800 {'],
    ['half a surrogate in JSON', '{"a":"\ud800"}'],
    ['a number', '5'],
    ['null', 'null'],
  ])('comes back as that text: %s', async (_, text) => {
    const open = tabs()
    const { storage } = await open(LONG)
    await storage.setItem('a', 'x')
    await storage.setItem('a', text)
    expect(await storage.getItem('a')).toBe(text)
    await storage.flush()
    expect(await (await open()).storage.getItem('a')).toBe(text)
    const [latest] = await all(storage.history('a', { states: true, limit: 1 }))
    expect(latest?.state).toBe(text)
  })
})

describe('what is set in quick succession', () => {
  it.each([
    ['objects', (value: object) => value],
    ['texts', (value: object) => JSON.stringify(value)],
    [
      'texts of texts, as of redux-persist',
      (value: object) => JSON.stringify({ chat: JSON.stringify(value), _persist: '{"version":-1}' }),
    ],
  ])('costs few transactions and little room: %s', async (_, form) => {
    const { storage: counted, counts } = countingStorage(memoryStorage())
    const checkpointer = await openCheckpointer({ name: 'counted', storage: counted })
    const storage = forkpointStorage(checkpointer, LONG)
    let text = ''
    let whole = 0
    for (let n = 0; n < 5000; n++) {
      text += `token ${n} `
      const value = form({
        messages: [
          { role: 'user', text: 'Tell me' },
          { role: 'agent', text },
        ],
        n,
      })
      whole += JSON.stringify(value).length
      await storage.setItem('chat', value)
    }
    await storage.flush()
    // The first at once, then a thousand at a time, then what is left, and perhaps a keyframe.
    expect(counts.commits).toBeLessThanOrEqual(10)
    const last = JSON.stringify(form({ messages: [{ role: 'user' }, { role: 'agent', text }] })).length
    expect(counts.bytesPut).toBeLessThan(4 * last)
    expect(whole).toBeGreaterThan(2000 * last)
    await checkpointer.close()
  })

  it('is written by time too, and the first at once', async () => {
    const open = tabs()
    const { storage } = await open({ every: 30 })
    const seen: unknown[] = []
    for (let n = 1; n <= 30; n++) {
      await storage.setItem('a', n)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await vi.waitFor(async () => expect(await (await open()).storage.getItem('a')).toBe(30))
    for (const { state } of await all(storage.history('a', { states: true, order: 'oldest' })))
      seen.push(state)
    expect(seen[0]).toBe(1)
    expect(seen.length).toBeGreaterThan(2)
    expect(seen.length).toBeLessThan(30)
  })

  it('is written by a flush also when the store was closed', async () => {
    const open = tabs()
    const { storage } = await open(LONG)
    await storage.setItem('a', 1)
    await storage.close()
    await storage.setItem('a', 2)
    await storage.flush()
    expect(await (await open()).storage.getItem('a')).toBe(2)
  })

  it('is, after a crash between two writes, what the last write held', async () => {
    const open = tabs()
    const { storage } = await open(LONG)
    await storage.setItem('a', 1)
    await storage.setItem('a', 2)
    await storage.flush()
    await storage.setItem('a', 3)
    expect(await (await open()).storage.getItem('a')).toBe(2)
  })
})
