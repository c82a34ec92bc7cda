import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Host } from '../../src/operations/host.ts'
import { GuardedHost } from '../../src/remote/guard.ts'

/** A host with endless exports, and what was ended of them. */
function endless(): { host: Host; ended: string[] } {
  const ended: string[] = []
  const host = {
    exportPage: async () => ({ bytes: new Uint8Array(), isLast: false, checkpoints: 0 }),
    endCarry: async ({ id }: { readonly id: string }) => void ended.push(id),
    syncWant: async () => ({ wanted: [], taken: [] }),
  } as Partial<Host> as Host
  return { host, ended }
}

describe('as many exports as may be under way', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
  afterEach(() => void vi.useRealTimers())

  const page = (guard: GuardedHost, number: number, page = 0): Promise<unknown> =>
    guard.call('exportPage', { id: `export-${number}`, page, onDamage: 'refuse' }, () => true)

  it('go on: it is the next one that has to wait', async () => {
    const { host, ended } = endless()
    const guard = new GuardedHost(host)
    for (let n = 0; n < 256; n++) await page(guard, n)
    await expect(page(guard, 256)).rejects.toMatchObject({ code: 'BLOCKED', outcome: 'none' })
    await page(guard, 0, 1)
    expect(ended).toEqual([])
    await guard.call('endCarry', { id: 'export-7' }, () => true)
    await page(guard, 256)
  })

  it('make room if nobody has gone on with them for a minute', async () => {
    const { host, ended } = endless()
    const guard = new GuardedHost(host)
    for (let n = 0; n < 256; n++) await page(guard, n)
    vi.advanceTimersByTime(50_000)
    await page(guard, 5, 1)
    vi.advanceTimersByTime(20_000)
    await page(guard, 256)
    expect(ended).toHaveLength(255)
    expect(ended).not.toContain('export-5')
    await page(guard, 5, 2)
    await expect(page(guard, 6, 1)).rejects.toMatchObject({ code: 'FAILED', outcome: 'none' })
  })
})

it('as many exports of one thread as there may be keep nobody from those of another', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { host, ended } = endless()
  const guard = new GuardedHost(host)
  let count = 0
  const begin = (ids?: readonly string[]): Promise<unknown> =>
    guard.call(
      'exportPage',
      { id: `e${count++}`, page: 0, onDamage: 'refuse', ...(ids ? { ids } : {}) },
      () => true,
    )
  for (let n = 0; n < 16; n++) await begin(['eve/1', `eve/${n}`])
  await expect(begin(['eve/1'])).rejects.toMatchObject({ code: 'BLOCKED', outcome: 'none' })
  await begin(['ada/1'])
  await begin()
  vi.advanceTimersByTime(61_000)
  await begin(['eve/1'])
  // What others have left of theirs is in nobody's way yet.
  expect(ended).toEqual(Array.from({ length: 16 }, (_, n) => `e${n}`))
})

it('who names no thread is asked about as for the whole store, and a thread that is named twice is asked about once', async () => {
  const host = {
    exportPage: vi.fn<Host['exportPage']>(async () => ({
      bytes: new Uint8Array(),
      isLast: true,
      checkpoints: 0,
    })),
    syncRecall: vi.fn<Host['syncRecall']>(async () => []),
    syncWant: vi.fn<Host['syncWant']>(async () => ({ wanted: [], taken: [] })),
  }
  const guard = new GuardedHost(host as Partial<Host> as Host)
  const asked: unknown[] = []
  const hers = (verb: string, thread?: string): boolean => {
    asked.push([verb, thread])
    return thread === 'hers'
  }
  const begin = (ids: readonly string[]): Promise<unknown> =>
    guard.call('exportPage', { id: 'one', page: 0, ids, onDamage: 'refuse' }, hers)
  await expect(begin([])).rejects.toMatchObject({ code: 'FORBIDDEN', outcome: 'none' })
  await expect(guard.call('syncRecall', { of: [] }, hers)).rejects.toMatchObject({ code: 'FORBIDDEN' })
  expect(asked.splice(0)).toEqual([
    ['exportPage', undefined],
    ['syncRecall', undefined],
  ])
  expect([host.exportPage, host.syncRecall].map(({ mock }) => mock.calls)).toEqual([[], []])
  await begin(['hers', 'hers'])
  expect(asked).toEqual([['exportPage', 'hers']])
  expect(host.syncWant).toHaveBeenCalledTimes(1)
  expect(host.exportPage.mock.calls).toMatchObject([[{ ids: ['hers'] }]])
})

it('an export that is not known is told as cut off, to whoever asks, and nothing of it is read', async () => {
  const host = { exportPage: vi.fn<Host['exportPage']>() } as Partial<Host> as Host
  const guard = new GuardedHost(host)
  for (const allow of [() => true, () => false])
    await expect(
      guard.call('exportPage', { id: 'one', page: 3, onDamage: 'refuse' }, allow),
    ).rejects.toMatchObject({ code: 'FAILED', outcome: 'none' })
  expect(host.exportPage).not.toHaveBeenCalled()
})

it('an export that is under way is not begun again by another caller, and goes on', async () => {
  const given: unknown[] = []
  const host = {
    exportPage: async ({ ids }: { readonly ids?: readonly string[] }) => {
      given.push(ids)
      return { bytes: new Uint8Array(), isLast: false, checkpoints: 0 }
    },
    syncWant: async () => ({ wanted: [], taken: [] }),
  } as Partial<Host> as Host
  const guard = new GuardedHost(host)
  const page = (ids: readonly string[], number: number): Promise<unknown> =>
    guard.call(
      'exportPage',
      { id: 'one', page: number, ids, onDamage: 'refuse' },
      (_, thread) => thread === ids[0],
    )
  await page(['hers'], 0)
  await expect(page(['his'], 0)).rejects.toMatchObject({ code: 'INVALID', outcome: 'none' })
  await expect(page(['his'], 1)).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await page(['hers'], 1)
  expect(given).toEqual([['hers'], ['hers']])
})

it('what is under way is ended by those alone who might have begun it', async () => {
  const { host, ended } = endless()
  const guard = new GuardedHost(host)
  const hers = (verb: string, thread?: string): boolean => verb === 'exportPage' && thread === 'hers'
  await guard.call('exportPage', { id: 'one', page: 0, ids: ['hers'], onDamage: 'refuse' }, hers)
  for (const id of ['one', 'another'])
    await expect(guard.call('endCarry', { id }, (_, thread) => thread === 'his')).rejects.toMatchObject({
      code: 'FORBIDDEN',
    })
  expect(ended).toEqual([])
  await guard.call('endCarry', { id: 'one' }, hers)
  await guard.call('endCarry', { id: 'another' }, (_, thread) => thread === undefined)
  expect(ended).toEqual(['one', 'another'])
})

describe('a flush, of which nobody is asked', () => {
  const nobody = (): boolean => false
  const everybody = (): boolean => true

  function flushed(): {
    guard: GuardedHost
    flush: ReturnType<typeof vi.fn<Host['flush']>>
    saved: () => void
  } {
    const flush = vi.fn<Host['flush']>(async () => undefined)
    let saved = (): void => {}
    const putWrites = async (): Promise<never> => {
      await new Promise<void>((resolve) => (saved = resolve))
      return undefined as never
    }
    const host = { flush, putWrites } as Partial<Host> as Host
    return { guard: new GuardedHost(host), flush, saved: () => saved() }
  }

  const relaxed = { thread: 'hers', namespace: '', checkpoint: 1, writes: [], relaxed: true }

  it('writes at most once where nobody was let write', async () => {
    const { guard, flush } = flushed()
    for (let n = 0; n < 10; n++) await guard.call('flush', undefined, nobody)
    await guard.call('putWrites', relaxed, nobody).catch(() => {})
    await guard.call('flush', undefined, nobody)
    expect(flush).toHaveBeenCalledTimes(1)
  })

  it('writes after what was written behind, also when that ends after a flush that came between', async () => {
    const { guard, flush, saved } = flushed()
    const writing = guard.call('putWrites', relaxed, everybody)
    await guard.call('flush', undefined, nobody)
    await vi.waitFor(() => saved())
    await writing
    await guard.call('flush', undefined, nobody)
    expect(flush).toHaveBeenCalledTimes(2)
  })

  it('is waited for by whoever asks while it is under way', async () => {
    const { guard, flush } = flushed()
    let end = (): void => {}
    flush.mockImplementation(() => new Promise((resolve) => (end = resolve)))
    const all = [guard.call('flush', undefined, nobody), guard.call('flush', undefined, nobody)]
    const ended: number[] = []
    all.forEach((each, n) => void each.then(() => ended.push(n)))
    await vi.waitFor(() => expect(flush).toHaveBeenCalled())
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(ended).toEqual([])
    end()
    await Promise.all(all)
    expect(flush).toHaveBeenCalledTimes(1)
  })

  it('is tried again after it has failed', async () => {
    const { guard, flush } = flushed()
    flush.mockRejectedValueOnce(new Error('no disk'))
    await expect(guard.call('flush', undefined, nobody)).rejects.toThrow('no disk')
    await guard.call('flush', undefined, nobody)
    expect(flush).toHaveBeenCalledTimes(2)
  })
})

it('a list of threads that are not for the caller asks about so many of them, however large its pages', async () => {
  let page = 0
  const host = {
    async threads({ limit }: { readonly limit: number }) {
      const from = limit * page++
      const items = Array.from({ length: limit }, (_, n) => ({ thread: `t${from + n}` }))
      return { items, next: { rank: -page, thread: items.at(-1)?.thread } }
    },
  } as unknown as Host
  const allow = vi.fn(() => false)
  await expect(new GuardedHost(host).call('threads', { limit: 10_000 }, allow)).rejects.toMatchObject({
    code: 'UNSUPPORTED',
  })
  expect(allow.mock.calls.length).toBeLessThanOrEqual(20_000)
})

describe('a list of which little is for the caller', () => {
  /** So many threads, of which the caller has the last and those that are named. */
  function crowd(count: number, own: readonly number[]) {
    const threads = Array.from({ length: count }, (_, n) => (own.includes(n) ? `ada/${n}` : `eve/${n}`))
    const page = vi.fn(async ({ limit, after }: Parameters<Host['threads']>[0]) => {
      const from = after ? threads.indexOf(after.thread) + 1 : 0
      const items = threads.slice(from, from + limit).map((thread) => ({ thread }))
      const last = items.length === limit ? items.at(-1) : undefined
      return { items, ...(last ? { next: { rank: 1, thread: last.thread } } : {}) }
    })
    const guard = new GuardedHost({ threads: page } as unknown as Host)
    const list = async (limit: number, after?: { readonly rank: number; readonly thread: string }) => {
      const request = { limit, ...(after ? { after } : {}) }
      const reply = await guard.call('threads', request, (_, thread) => thread?.startsWith('ada/') === true)
      return reply as Awaited<ReturnType<Host['threads']>>
    }
    return { list, page }
  }

  it('is read in few pages, whatever its caller asks for', async () => {
    const { list, page } = crowd(9_000, [8_990, 8_991])
    expect((await list(5)).items.map(({ thread }) => thread)).toEqual(['ada/8990', 'ada/8991'])
    expect(page.mock.calls.length).toBeLessThan(20)
  })

  it('gives no more than was asked for, each once, and names nobody else', async () => {
    const own = [3, 4, 5, ...Array.from({ length: 300 }, (_, n) => 1_000 + n), 1_999]
    const { list } = crowd(2_500, own)
    const given: string[] = []
    for (let after: { rank: number; thread: string } | undefined; ;) {
      const { items, next } = await list(5, after)
      expect(items.length).toBeLessThanOrEqual(6)
      given.push(...items.map(({ thread }) => thread))
      if (!next) break
      expect(next.thread).toMatch(/^ada/)
      after = next
    }
    expect(given).toEqual(own.map((n) => `ada/${n}`))
  })
})
