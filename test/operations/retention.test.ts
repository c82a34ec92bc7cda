import {
  CheckpointerError,
  openCheckpointer,
  type Checkpointer,
  type OpenOptions,
  type RetentionPolicy,
  type Storage,
} from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

interface State {
  readonly n: number
  readonly text: string
}

const state = (n: number): State => ({ n, text: `${n} `.repeat(100) })
/** The same storage, with its commits carried out in another way. */
const committing = (inner: Storage, commit: Storage['commit']): Storage => ({
  limits: inner.limits,
  read: (partition, queries) => inner.read(partition, queries),
  commit,
  locate: (key) => inner.locate(key),
  list: (query) => inner.list(query),
  partitions: (query) => inner.partitions(query),
  destroy: () => inner.destroy(),
  close: () => inner.close(),
})

const warnings: CheckpointerError[] = []
const opened: Checkpointer[] = []

async function open(storage: Storage, retention?: RetentionPolicy, more: Partial<OpenOptions> = {}) {
  const checkpointer = await openCheckpointer({
    name: 'kept',
    storage: Object.assign(storage, { close: async () => {} }),
    onWarning: (warning) => void warnings.push(warning),
    ...(retention ? { retention } : {}),
    ...more,
  })
  opened.push(checkpointer)
  return checkpointer
}

async function fill(checkpointer: Checkpointer, id: string, count: number, label?: string): Promise<void> {
  const thread = checkpointer.thread<State>(id)
  for (let n = 1; n <= count; n++) await thread.save(state(n), n === 2 && label ? { label } : {})
}

/** With no rules yet: otherwise what is there to let go may have gone before the test begins. */
const fillBefore = async (storage: Storage, id: string, count: number): Promise<void> =>
  fill(await open(storage), id, count)

async function seqs(checkpointer: Checkpointer, id: string): Promise<number[]> {
  const found: number[] = []
  for await (const { seq } of checkpointer.thread(id).history({ order: 'oldest' })) found.push(seq)
  return found
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  await vi.waitFor(async () => expect(await holds()).toBe(true), { timeout: 10_000, interval: 20 })
}

beforeEach(() => {
  warnings.length = 0
})

afterEach(async () => {
  for (const checkpointer of opened.splice(0)) await checkpointer.close()
  vi.useRealTimers()
})

describe('a storage without room', () => {
  /** Takes no checkpoint until some have been deleted. */
  function fullStorage(givenBackAfter = 0): { storage: Storage; fill: () => void } {
    const inner = memoryStorage()
    let isFull = false
    return {
      fill: () => (isFull = true),
      storage: committing(inner, async (partition, batch) => {
        const makesRoom = batch.deleteRanges?.some(({ table }) => table === 'checkpoints')
        if (makesRoom && givenBackAfter > 0) setTimeout(() => (isFull = false), givenBackAfter)
        else if (makesRoom) isFull = false
        else if (isFull && batch.puts?.some(({ table }) => table === 'checkpoints'))
          throw new CheckpointerError('QUOTA', 'Full.', { outcome: 'none' })
        return inner.commit(partition, batch)
      }),
    }
  }

  it('has room made by the policy, and the save is tried again, which is told', async () => {
    const full = fullStorage()
    await fillBefore(full.storage, 'a', 8)
    const checkpointer = await open(full.storage, { keepLast: 2 })
    full.fill()
    const thread = checkpointer.thread<State>('a')
    const saved = await Promise.all([9, 10, 11].map((n) => thread.save(state(n))))
    expect(saved.map(({ seq }) => seq)).toEqual([9, 10, 11])
    expect(warnings.map(({ code }) => code)).toEqual(['QUOTA'])
    expect(await seqs(checkpointer, 'a')).toEqual([7, 8, 9, 10, 11])
    for (const seq of [7, 8, 9, 10, 11]) expect((await thread.load(seq))?.state).toEqual(state(seq))
    expect((await checkpointer.verify()).problems).toEqual([])
  })

  it('gives back what was deleted a moment later, and that is waited for', async () => {
    const full = fullStorage(100)
    await fillBefore(full.storage, 'a', 8)
    const checkpointer = await open(full.storage, { keepLast: 2 })
    full.fill()
    expect((await checkpointer.thread<State>('a').save(state(9))).seq).toBe(9)
    expect(warnings.map(({ code }) => code)).toEqual(['QUOTA'])
    expect(await seqs(checkpointer, 'a')).toEqual([7, 8, 9])
  })

  it.each([
    ['has nothing to let go', false],
    ['has freed room for itself alone', true],
  ])('has room made for each of two saves at once, also when the first %s', async (_, isRuled) => {
    const inner = memoryStorage()
    let room = Number.POSITIVE_INFINITY
    const storage = committing(inner, async (partition, batch) => {
      const makesRoom = batch.deleteRanges?.some(({ table }) => table === 'checkpoints')
      const takes = !makesRoom && batch.puts?.some(({ table }) => table === 'checkpoints')
      if (takes && room === 0) throw new CheckpointerError('QUOTA', 'Full.', { outcome: 'none' })
      if (makesRoom) room++
      else if (takes) room--
      return inner.commit(partition, batch)
    })
    const checkpointer = await open(storage)
    const retention = { keepLast: 2 }
    const a = checkpointer.thread<State>('a', isRuled ? { retention } : {})
    const b = checkpointer.thread<State>('b', { retention })
    for (const thread of ['a', 'b']) await fillBefore(storage, thread, 7)
    // A thread's rules are kept with its saves.
    await Promise.all([a.save(state(8)), b.save(state(8))])
    room = 0
    const [first, second] = await Promise.allSettled([a.save(state(9)), b.save(state(9))])
    if (isRuled) expect(first).toMatchObject({ value: { seq: 9 } })
    else expect(first).toMatchObject({ reason: { code: 'QUOTA' } })
    expect(second).toMatchObject({ value: { seq: 9 } })
    expect(await seqs(checkpointer, 'b')).toEqual([7, 8, 9])
    expect((await checkpointer.verify()).problems).toEqual([])
  })

  it('has room made in threads that were idle for longest when the own one has none', async () => {
    const full = fullStorage()
    await fillBefore(full.storage, 'old', 8)
    const checkpointer = await open(full.storage, { keepLast: 2 })
    await fill(checkpointer, 'new', 1)
    full.fill()
    await checkpointer.thread<State>('new').save(state(2))
    expect(await seqs(checkpointer, 'old')).toEqual([7, 8])
    expect(await seqs(checkpointer, 'new')).toEqual([1, 2])
  })

  it('has room made also in threads that were changed by a clock that is ahead', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const full = fullStorage()
    vi.setSystemTime(Date.UTC(2031, 0, 1))
    await fillBefore(full.storage, 'ahead', 8)
    vi.setSystemTime(Date.UTC(2026, 0, 1))
    const checkpointer = await open(full.storage, { keepLast: 2 })
    await fill(checkpointer, 'new', 1)
    full.fill()
    await checkpointer.thread<State>('new').save(state(2))
    expect(await seqs(checkpointer, 'ahead')).toEqual([7, 8])
  })

  it.each([
    ['without a policy', undefined],
    ['with a policy that has nothing to let go', { keepLast: 100 }],
  ])('refuses the save %s', async (_, retention) => {
    const full = fullStorage()
    const checkpointer = await open(full.storage, retention)
    await fill(checkpointer, 'a', 8)
    full.fill()
    await expect(checkpointer.thread<State>('a').save(state(9))).rejects.toMatchObject({ code: 'QUOTA' })
    expect(warnings).toEqual([])
    expect(await seqs(checkpointer, 'a')).toHaveLength(8)
  })
})

describe('a ceiling over all threads', () => {
  const MINUTE = 60_000
  const start = Date.UTC(2026, 0, 1)
  const at = (minute: number): void => void vi.setSystemTime(start + minute * MINUTE)

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] })
    at(0)
  })

  it('cuts down the threads that were idle for longest, and only as many as it must', async () => {
    const storage = memoryStorage()
    const before = await open(storage)
    for (let i = 1; i <= 5; i++) {
      at(i)
      await fill(before, `t${i}`, 20)
    }
    const { bytes } = await before.usage()
    at(8)
    const maxBytes = Math.round(bytes * 0.8)
    const checkpointer = await open(storage, { maxBytes })
    await checkpointer.thread<State>('now').save(state(1))
    await until(async () => (await checkpointer.usage()).bytes <= maxBytes)
    await until(async () => (await seqs(checkpointer, 't1')).length === 1)
    expect((await checkpointer.thread<State>('t1').load())?.state).toEqual(state(20))
    expect(await seqs(checkpointer, 't5')).toHaveLength(20)
    expect(warnings).toEqual([])
    expect((await checkpointer.verify()).problems).toEqual([])
  })

  it('deletes none whose run waits for an answer, or writes down its steps', async () => {
    const storage = memoryStorage()
    const before = await open(storage)
    const waiting = before.thread<State>('waits')
    waiting.run({ initial: state(1) }, (loop) => loop.ask('which?')).catch(() => {})
    await until(async () => (await waiting.latestRun())?.status === 'waiting')
    let goOn = (): void => {}
    const later = new Promise<void>((resolve) => (goOn = resolve))
    const working = before.thread<State>('works').run({ initial: state(1) }, async (loop) => {
      await later
      await loop.step('one', () => 1)
      await new Promise(() => {})
    })
    working.catch(() => {})
    for (let i = 1; i <= 30; i++) await fill(before, `t${i}`, 2)
    at(14)
    goOn()
    await until(async () => ((await before.thread('works').load())?.pendingWrites ?? []).length > 1)
    at(15)
    const checkpointer = await open(storage, { maxBytes: 1 })
    await checkpointer.thread<State>('now').save(state(1))
    await until(async () => (await checkpointer.thread('t30').load()) === undefined && warnings.length > 0)
    expect(await checkpointer.thread('waits').load()).toBeDefined()
    expect(await checkpointer.thread('works').load()).toBeDefined()
  })

  it('deletes none whose run is in the midst of a long step, until nothing was heard of it for a day', async () => {
    const storage = memoryStorage()
    const before = await open(storage)
    const running = before.thread<State>('works').run({ initial: state(1) }, async (loop) => {
      await loop.step('long', () => new Promise(() => {}))
    })
    running.catch(() => {})
    await until(async () => ((await before.thread('works').load())?.pendingWrites ?? []).length > 0)
    for (let i = 1; i <= 3; i++) await fill(before, `t${i}`, 2)
    at(23 * 60)
    const checkpointer = await open(storage, { maxBytes: 1 })
    await checkpointer.thread<State>('now').save(state(1))
    await until(async () => (await checkpointer.thread('t3').load()) === undefined && warnings.length > 0)
    expect((await checkpointer.thread('works').latestRun())?.status).toBe('running')
    at(25 * 60)
    await checkpointer.thread<State>('now').save(state(2))
    await until(async () => (await checkpointer.thread('works').load()) === undefined)
  })

  it('deletes idle threads when that is not enough, but none with a label or that keeps all, and says so', async () => {
    const storage = memoryStorage()
    const before = await open(storage)
    await fill(before, 'labelled', 4, 'mine')
    await before.thread<State>('kept', { retention: false }).save(state(1))
    await before.thread<State>('kept', { retention: false }).save(state(2))
    for (let i = 1; i <= 30; i++) await fill(before, `t${i}`, 2)
    const fork = await before.thread<State>('t30').fork({ as: 'fork' })
    at(15)
    await fork.save(state(3))
    const deleted: string[] = []
    const maxBytes = Math.round((await before.usage()).bytes * 0.3)
    const checkpointer = await open(storage, { maxBytes })
    checkpointer.subscribe((event) => {
      if (event.type === 'deleted') deleted.push(event.thread)
    })
    await checkpointer.thread<State>('now').save(state(1))
    await until(async () => (await checkpointer.usage()).bytes <= maxBytes && warnings.length > 0)
    expect(deleted.length).toBeGreaterThan(10)
    expect(deleted).not.toContain('labelled')
    expect(deleted).not.toContain('kept')
    expect(deleted).not.toContain('fork')
    expect(await seqs(checkpointer, 'labelled')).toEqual([2, 4])
    expect(await seqs(checkpointer, 'kept')).toEqual([1, 2])
    expect((await fork.load())?.state).toEqual(state(3))
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toMatchObject({ code: 'QUOTA' })
    expect(warnings[0]?.message).toContain(`'${deleted[0]}'`)
    expect((await checkpointer.verify()).problems).toEqual([])
  })

  it('lets nothing go for what was put and is gone again while all was weighed', async () => {
    const inner = memoryStorage()
    const before = await open(inner)
    await fill(before, 'idle', 20)
    for (const id of ['a', 'b']) await fill(before, id, 1)
    at(8)
    const maxBytes = 100_000
    let passing: (() => Promise<void>) | undefined
    let passed = 0
    const storage: Storage = {
      ...committing(inner, (partition, batch) => inner.commit(partition, batch)),
      async read(partition, queries) {
        const rows = await inner.read(partition, queries)
        const pass = passing
        if (!pass || !['a', 'b'].includes(partition) || passed === 20) return rows
        passing = undefined
        await pass()
        passing = pass
        return rows
      },
    }
    const checkpointer = await open(storage, { maxBytes })
    passing = async () => {
      const fork = await checkpointer.thread(passed++ % 2 ? 'a' : 'b').fork()
      await fork.save({ text: 'x'.repeat(maxBytes) })
      await fork.delete()
    }
    await checkpointer.thread<State>('now').save(state(1))
    await until(async () => passed === 20)
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect((await checkpointer.usage()).bytes).toBeLessThan(maxBytes)
    expect(warnings).toEqual([])
    expect(await seqs(checkpointer, 'idle')).toHaveLength(20)
  })

  it('says once that nothing idle is left to let go', async () => {
    const checkpointer = await open(memoryStorage(), { maxBytes: 1_100 })
    for (let i = 1; i <= 6; i++) await fill(checkpointer, `t${i}`, 3)
    await until(async () => warnings.length > 0)
    await fill(checkpointer, 't7', 3)
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toMatchObject({ code: 'QUOTA' })
    for (let i = 1; i <= 7; i++) expect(await seqs(checkpointer, `t${i}`)).toHaveLength(3)
  })
})

describe('in the background', () => {
  it('nothing is written after close, and close does not wait for all that could go', async () => {
    const inner = memoryStorage()
    let isClosed = false
    let late = 0
    const storage = committing(inner, (partition, batch) => {
      if (isClosed) late++
      return inner.commit(partition, batch)
    })
    const checkpointer = await open(storage, { keepLast: 1 })
    for (let i = 1; i <= 20; i++) await fill(checkpointer, `t${i}`, 14)
    await checkpointer.close()
    isClosed = true
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect(late).toBe(0)
    const again = await open(inner)
    expect((await again.verify()).problems).toEqual([])
  })

  it('a bite is not taken while saves follow each other, for as long as a thread can wait', async () => {
    const inner = memoryStorage()
    let removals = 0
    const storage = committing(inner, (partition, batch) => {
      if (batch.deleteRanges?.some(({ table }) => table === 'checkpoints')) removals++
      return inner.commit(partition, batch)
    })
    const checkpointer = await open(storage, { keepLast: 1 })
    const thread = checkpointer.thread<State>('a')
    const saves: Promise<unknown>[] = []
    for (let n = 1; n <= 100; n++) saves.push(thread.save(state(n)))
    await Promise.all(saves)
    expect(removals).toBe(0)
    await until(async () => removals > 0)
  })

  it('refuses rules that let nothing go, and a policy for a host that is there already', async () => {
    const refused = (retention: RetentionPolicy, more: Partial<OpenOptions> = {}) =>
      expect(open(memoryStorage(), retention, more)).rejects.toMatchObject({ code: 'INVALID' })
    await refused({})
    await refused({ keepLabelled: true })
    await refused({ keepLast: -1 })
    await refused({ olderThan: Number.NaN })
    await refused({ maxBytes: -1 })
    // @ts-expect-error -- There is no such rule.
    await refused({ keepFirst: 1 })
    const checkpointer = await open(memoryStorage())
    expect(() => checkpointer.thread('a', { retention: {} })).toThrow(CheckpointerError)
    // @ts-expect-error -- One thread has no ceiling.
    expect(() => checkpointer.thread('a', { retention: { maxBytes: 1 } })).toThrow(CheckpointerError)
  })
})

it('a long prune can be stopped after any of its parts', { timeout: 60_000 }, async () => {
  for (let stopAfter = 1; stopAfter <= 2; stopAfter++) {
    const checkpointer = await open(memoryStorage())
    const thread = checkpointer.thread<State>('a')
    await Promise.all(Array.from({ length: 2_200 }, (_, i) => thread.save(state(i + 1))))
    const stopping = new AbortController()
    let parts = 0
    let removed = 0
    const onProgress = (count: number): void => {
      removed = count
      if (++parts === stopAfter) stopping.abort()
    }
    await expect(thread.prune({ keepLast: 50, signal: stopping.signal, onProgress })).rejects.toThrow()
    expect(parts).toBe(stopAfter)
    const left = await seqs(checkpointer, 'a')
    expect(left).toHaveLength(2_200 - removed)
    expect(left.slice(-50)).toEqual(Array.from({ length: 50 }, (_, i) => 2_151 + i))
    expect((await checkpointer.verify()).problems).toEqual([])
  }
})
