import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ChunkLog, type Batch } from '../../../src/checkpointer/runs/streams/chunk-log.ts'

const MB = 1024 * 1024

/** A store that answers when it is told to. */
class Store {
  readonly rows = new Map<number, Batch>()
  readonly commits: { readonly batches: readonly Batch[]; readonly at: number }[] = []
  readonly #answers: ((error?: Error) => void)[] = []
  isSlow = false
  /** It stores, and says that it has failed. */
  lies = false
  fails = false
  full = 0

  readonly write = (batches: readonly Batch[]): Promise<void> => {
    this.commits.push({ batches, at: performance.now() })
    const store = (): void => {
      if (this.fails) throw new Error('disk')
      // As the journal does: what is there stays.
      for (const batch of batches) if (!this.rows.has(batch.index)) this.rows.set(batch.index, batch)
      if (this.lies) throw new Error('lost')
    }
    if (!this.isSlow) return Promise.resolve().then(store)
    return new Promise((resolve, reject) => {
      this.#answers.push((error) => {
        try {
          if (error) throw error
          store()
          resolve()
        } catch (failure) {
          reject(failure as Error)
        }
      })
    })
  }

  answer(error?: Error): void {
    this.#answers.shift()?.(error)
  }

  get chunks(): string {
    const inOrder = [...this.rows.values()].sort((a, b) => a.index - b.index)
    let count = 0
    for (const batch of inOrder) {
      expect(batch.from).toBe(count)
      count += batch.chunks.length
    }
    return inOrder.flatMap(({ chunks }) => chunks).join('')
  }
}

const logOn = (store: Store, room = MB): ChunkLog =>
  new ChunkLog({ index: 2, from: 0, room, write: store.write, onFull: () => store.full++ })

const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0)

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a log of chunks', () => {
  it('writes the first at once, and then at most every 50 ms', async () => {
    const store = new Store()
    const log = logOn(store)
    for (let i = 0; i < 1_000; i++) {
      log.add(String(i % 10))
      await vi.advanceTimersByTimeAsync(1)
    }
    const began = store.commits.map(({ at }) => at)
    expect(began.length).toBeGreaterThanOrEqual(20)
    for (const [i, at] of began.entries())
      if (i > 0) expect(at - (began[i - 1] as number)).toBeGreaterThanOrEqual(50)
    expect(store.commits[0]?.batches).toMatchObject([{ index: 2, from: 0, chunks: ['0'] }])
    await vi.advanceTimersByTimeAsync(50)
    expect(store.chunks).toBe('0123456789'.repeat(100))
  })

  it('waits for no timer while chunks come', async () => {
    const store = new Store()
    const log = logOn(store)
    const timers = vi.spyOn(globalThis, 'setTimeout').mockImplementation((() => 0) as never)
    log.add('a')
    await settle()
    log.add('b')
    expect(store.commits).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(60)
    log.add('c')
    await settle()
    expect(store.chunks).toBe('abc')
    timers.mockRestore()
  })

  it('has one commit under way at a time', async () => {
    const store = new Store()
    store.isSlow = true
    const log = logOn(store)
    log.add('a')
    for (let i = 0; i < 10; i++) {
      await vi.advanceTimersByTimeAsync(60)
      log.add('b')
    }
    expect(store.commits).toHaveLength(1)
    store.answer()
    await settle()
    expect(store.commits).toHaveLength(2)
    store.answer()
    await settle()
    expect(store.chunks).toBe(`a${'b'.repeat(10)}`)
  })

  it('sends what has failed again as it was, so that nothing is there twice or goes', async () => {
    const store = new Store()
    const log = logOn(store)
    store.lies = true
    log.add('a')
    await vi.advanceTimersByTimeAsync(60)
    log.add('b')
    await vi.advanceTimersByTimeAsync(60)
    store.lies = false
    store.fails = true
    log.add('c')
    await vi.advanceTimersByTimeAsync(60)
    await expect(log.flush()).rejects.toThrow('disk')
    store.fails = false
    await log.flush()
    expect(store.chunks).toBe('abc')
  })

  it('is told by flush when all is stored', async () => {
    const store = new Store()
    const log = logOn(store)
    log.add('a')
    log.add('b')
    await log.flush()
    expect(store.chunks).toBe('ab')
    expect(store.commits).toHaveLength(2)
    await log.flush()
    expect(store.commits).toHaveLength(2)
  })

  it('sends all at once when the page may go, behind what is under way', async () => {
    const store = new Store()
    store.isSlow = true
    const log = logOn(store)
    log.add('a')
    log.add('b')
    log.hurry()
    log.add('c')
    log.hurry()
    log.hurry()
    expect(store.commits.map(({ batches }) => batches.map(({ index }) => index))).toEqual([[2], [3], [4]])
    store.answer(new Error('lost'))
    store.answer()
    store.answer()
    await settle()
    store.isSlow = false
    await log.flush()
    expect(store.chunks).toBe('abc')
  })

  it('has whoever adds very much wait until it is stored, or told that it cannot be', async () => {
    const store = new Store()
    store.isSlow = true
    const log = logOn(store, 100 * MB)
    const large = 'x'.repeat(MB)
    const crowded = Array.from({ length: 5 }, () => (log.add(large), log.isCrowded))
    expect(crowded).toEqual([false, false, false, false, true])
    const waited = vi.fn()
    void log.flush().then(waited)
    store.answer()
    await settle()
    expect(waited).not.toHaveBeenCalled()
    store.answer()
    await settle()
    expect(waited).toHaveBeenCalled()
    expect(log.isCrowded).toBe(false)

    const full = logOn(store, 100 * MB)
    store.isSlow = false
    store.fails = true
    for (let i = 0; i < 5; i++) full.add(large)
    expect(full.isCrowded).toBe(true)
    await expect(full.flush()).rejects.toThrow('disk')
  })

  it('takes as much as it has room for, counts bytes, and says once that it is full', async () => {
    const store = new Store()
    const log = logOn(store, 10)
    log.add('aaaa')
    log.add('éé')
    expect(log.isFull).toBe(false)
    log.add('bbb')
    log.add('c')
    expect(log.isFull).toBe(true)
    expect(store.full).toBe(1)
    await log.flush()
    expect(store.chunks).toBe('aaaaéé')
  })

  it('gives what is left when it ends, to be stored with what comes behind', async () => {
    const store = new Store()
    const log = logOn(store)
    log.add('a')
    log.add('b')
    expect(await log.rest()).toMatchObject([{ index: 3, from: 1, chunks: ['b'] }])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(store.commits).toHaveLength(1)
    log.stored()
    await log.flush()
    expect(store.commits).toHaveLength(1)
  })
})
