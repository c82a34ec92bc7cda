import 'fake-indexeddb/auto'
import { CheckpointerError, openCheckpointer, type Host } from 'forkpoint'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { deliverLeft } from '../../src/checkpointer/left/deliver.ts'
import { leftIn } from '../../src/checkpointer/left/left-behind.ts'
import type { SaveManyRequest } from '../../src/operations/host.ts'

/** As `localStorage` is, in memory. */
function area() {
  const items = new Map<string, string>()
  return {
    items,
    get length() {
      return items.size
    },
    key: (i: number) => [...items.keys()][i] ?? null,
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  }
}

const list = (thread = 't', key = 'k1', expect: string | null = null): SaveManyRequest => ({
  thread,
  namespace: '',
  saves: [
    {
      thread,
      namespace: '',
      key,
      createdAt: 1,
      fields: {},
      expect,
      frame: { body: new TextEncoder().encode('{"text":"ü"}') },
      retry: true,
    },
  ],
})

describe('what pages leave', () => {
  it('is found under its name alone, and as it was put', () => {
    const place = area()
    leftIn(place, 'a').put({ lists: [list()] })
    leftIn(place, 'a:b').put({ lists: [list('other')] })
    expect(
      leftIn(place, 'a')
        .found()
        .map(({ lists }) => lists),
    ).toEqual([[list()]])
    expect(
      leftIn(place, 'a:b')
        .found()
        .map(({ lists }) => lists),
    ).toEqual([[list('other')]])
  })

  it('is gone when the page is back, and when there is nothing to leave', () => {
    const place = area()
    const left = leftIn(place, 'a')
    left.put({ lists: [list()] })
    left.withdraw()
    expect(place.items.size).toBe(0)
    left.put({ lists: [list()] })
    left.put({ lists: [] })
    expect(place.items.size).toBe(0)
  })

  it.each([
    '',
    'null',
    '{}',
    '[1]',
    '{"lists":[{"thread":1}]}',
    '{"lists":[{"thread":"t","namespace":"","saves":[{"key":1}]}]}',
    '{"lists":[{"thread":"t","namespace":"","saves":[{"key":"k","createdAt":1,"fields":{},"expect":null,"retention":5,"frame":{"body":"1"}}]}]}',
    '{"lists":[{"thread":"t","namespace":"","saves":[{"key":"k","createdAt":1,"fields":{},"expect":null,"retention":{"keepLast":"x"},"frame":{"body":"1"}}]}]}',
    '{"lists":[{"thread":"t","namespace":"","saves":[{"key":"k","createdAt":1,"fields":{},"frame":{"base":null,"body":"1"}}]}]}',
  ])('is passed over and removed when it reads %j', (text) => {
    const place = area()
    leftIn(place, 'a').put({ lists: [list()] })
    place.setItem([...place.items.keys()][0] ?? '', text)
    expect(leftIn(place, 'a').found()).toEqual([])
    expect(place.items.size).toBe(0)
  })

  it('is no failure where the place is full or forbidden', () => {
    const forbidden = () => {
      throw new DOMException('no', 'SecurityError')
    }
    const place = { ...area(), setItem: forbidden, key: forbidden, removeItem: forbidden }
    const left = leftIn(place, 'a')
    left.put({ lists: [list()] })
    left.withdraw()
    expect(left.found()).toEqual([])
  })
})

describe('the next page', () => {
  const settled: string[] = []
  const settle: Host['settle'] = async ({ sessions, inOrder }) => void (inOrder && settled.push(...sessions))
  const stored = (length: number): Pick<Host, 'saveMany' | 'settle'> => ({
    settle,
    saveMany: async () => Array.from({ length }, (_, i) => ({ seq: i + 1, id: `${i}`, createdAt: 1 })),
  })
  const warn = vi.fn<(warning: CheckpointerError) => void>()
  beforeEach(() => warn.mockClear())

  it('stores it, and removes it then', async () => {
    const place = area()
    leftIn(place, 'a').put({ lists: [list()], session: 's1' })
    await deliverLeft(stored(1), leftIn(place, 'a'), warn)
    expect(place.items.size).toBe(0)
    expect(settled).toEqual(['s1'])
    expect(warn).not.toHaveBeenCalled()
  })

  it('tells what stood on something that is gone', async () => {
    const place = area()
    leftIn(place, 'a').put({ lists: [list()] })
    await deliverLeft(stored(0), leftIn(place, 'a'), warn)
    expect(warn.mock.lastCall?.[0]).toMatchObject({ code: 'DATA_LOSS', thread: 't' })
    expect(place.items.size).toBe(0)
  })

  it('keeps it for another time when the store fails', async () => {
    const place = area()
    leftIn(place, 'a').put({ lists: [list()] })
    const failing = { settle, saveMany: () => Promise.reject(new CheckpointerError('QUOTA', 'full')) }
    await deliverLeft(failing, leftIn(place, 'a'), warn)
    expect(warn.mock.lastCall?.[0]).toMatchObject({ code: 'QUOTA', thread: 't' })
    expect(leftIn(place, 'a').found()[0]?.lists).toEqual([list()])
  })

  it('goes on after a list that a full disk has cut short, and keeps its rest', async () => {
    const place = area()
    const two = { ...list(), saves: [...list().saves, ...list('t', 'k2').saves] }
    leftIn(place, 'a').put({ lists: [two, list('other')] })
    let calls = 0
    const host: Pick<Host, 'saveMany' | 'settle'> = {
      settle,
      async saveMany({ thread }) {
        if (thread === 't' && ++calls === 2) throw new CheckpointerError('QUOTA', 'full')
        return [{ seq: 1, id: 'x', createdAt: 1 }]
      },
    }
    await deliverLeft(host, leftIn(place, 'a'), warn)
    expect(leftIn(place, 'a').found()[0]?.lists).toEqual([list('t', 'k2')])
  })

  it('leaves alone what the page has put there anew meanwhile', async () => {
    const place = area()
    const page = leftIn(place, 'a')
    page.put({ lists: [list()] })
    const host: Pick<Host, 'saveMany' | 'settle'> = {
      settle,
      async saveMany() {
        page.put({ lists: [list('t', 'newer')] })
        return [{ seq: 1, id: 'x', createdAt: 1 }]
      },
    }
    await deliverLeft(host, leftIn(place, 'a'), warn)
    expect(leftIn(place, 'a').found()[0]?.lists).toEqual([list('t', 'newer')])
  })

  it('is not told of what another page has stored meanwhile, and pruned since', async () => {
    const place = area()
    leftIn(place, 'a').put({ lists: [list(), list('other')] })
    const asked: string[] = []
    const host: Pick<Host, 'saveMany' | 'settle'> = {
      settle,
      async saveMany({ thread }) {
        asked.push(thread)
        place.items.clear()
        throw new CheckpointerError('CONFLICT', 'The head is another one.')
      },
    }
    await deliverLeft(host, leftIn(place, 'a'), warn)
    expect(asked).toEqual(['t'])
    expect(warn).not.toHaveBeenCalled()
  })

  it.each([false, { keepLast: 5, keepLabelled: true }] as const)(
    'lets go of no more than the thread was to let go: %j',
    async (retention) => {
      const place = area()
      const [save] = list().saves
      leftIn(place, 'a').put({ lists: [{ ...list(), saves: save ? [{ ...save, retention }] : [] }] })
      expect(leftIn(place, 'a').found()[0]?.lists[0]?.saves[0]?.retention).toEqual(retention)
    },
  )

  it.each(['thread', 'database'])('does not bring back a deleted %s', async (what) => {
    const place = area()
    vi.stubGlobal('localStorage', place)
    onTestFinished(() => void vi.unstubAllGlobals())
    const name = `left ${crypto.randomUUID()}`
    const open = await openCheckpointer({ name, worker: false })
    await open.thread('t').save({ text: 'first' })
    leftIn(place, name).put({ lists: [list('t', 'k2'), list('other', 'k3')] })
    if (what === 'thread') await open.thread('t').delete()
    else await open.destroy()
    const next = await openCheckpointer({ name, worker: false })
    expect(await next.thread('t').load()).toBeUndefined()
    expect((await next.thread('other').load())?.id).toBe(what === 'thread' ? 'k3' : undefined)
    await next.destroy()
    await open.close().catch(() => {})
  })

  it('does not pass what another tab has saved since', async () => {
    const place = area()
    vi.stubGlobal('localStorage', place)
    onTestFinished(() => void vi.unstubAllGlobals())
    const name = `left ${crypto.randomUUID()}`
    const tab = await openCheckpointer({ name, worker: false })
    const { id } = await tab.thread('t').save({ text: 'known to the page' })
    await tab.thread('t').save({ text: 'newer' })
    await tab.close()
    leftIn(place, name).put({ lists: [list('t', 'k2', id)] })
    const next = await openCheckpointer({ name, worker: false, onWarning: warn })
    expect((await next.thread('t').load())?.state).toEqual({ text: 'newer' })
    expect(warn.mock.lastCall?.[0]).toMatchObject({ code: 'DATA_LOSS', thread: 't' })
    await next.destroy()
  })

  it('does not store a second time what had arrived after all', async () => {
    const place = area()
    vi.stubGlobal('localStorage', place)
    onTestFinished(() => void vi.unstubAllGlobals())
    const name = `left ${crypto.randomUUID()}`
    const writer = await openCheckpointer({ name, worker: false })
    const { id } = await writer.thread('t').save({ text: 'arrived' })
    await writer.close()
    leftIn(place, name).put({ lists: [list('t', id), list('t', 'k2', id)] })
    const next = await openCheckpointer({ name, worker: false })
    const found: string[] = []
    for await (const each of next.thread('t').history({ order: 'oldest' })) found.push(each.id)
    expect(found).toEqual([id, 'k2'])
    expect((await next.thread('t').load())?.state).toEqual({ text: 'ü' })
    expect([...place.items.keys()].filter((key) => key.startsWith('forkpoint:left'))).toEqual([])
    await next.destroy()
  })

  it.each(['nothing', 'something strict'])(
    'has the name of the session that owes it, also when the page goes before the store has answered: after %s',
    async (written) => {
      const place = area()
      const page = new EventTarget()
      vi.stubGlobal('localStorage', place)
      vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
      vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page))
      onTestFinished(() => void vi.unstubAllGlobals())
      const name = `left ${crypto.randomUUID()}`
      const before = await openCheckpointer({ name, worker: false })
      await before.thread('t').save({ text: 'before' })
      await before.close()
      const open = await openCheckpointer({ name, worker: false, durability: 'async' })
      onTestFinished(() => open.destroy())
      if (written !== 'nothing') await open.thread('t').fork()
      const puts = vi.spyOn(IDBObjectStore.prototype, 'put')
      onTestFinished(() => puts.mockRestore())
      const saving = open.thread('t').save({ text: 'first' })
      // No store has answered in so little.
      for (let i = 0; i < 50; i++) await Promise.resolve()
      page.dispatchEvent(new Event('pagehide'))
      const [left] = leftIn(place, name).found()
      await saving
      const owing = puts.mock.calls.filter(([row]) => (row as { owes?: boolean }).owes)
      expect(owing).toMatchObject([[{ session: left?.session }]])
    },
  )
})
