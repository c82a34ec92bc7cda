import 'fake-indexeddb/auto'
import { openDB } from 'idb'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openCheckpointer } from '../../src/index.ts'
import { indexedDbStorage } from '../../src/storage/indexeddb.ts'

it('a session without a lock puts its marker again while it goes on writing', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] })
  Object.defineProperty(navigator, 'locks', { configurable: true, value: undefined })
  onTestFinished(() => {
    vi.useRealTimers()
    Reflect.deleteProperty(navigator, 'locks')
  })
  const name = 'session renewed'
  const storage = indexedDbStorage({ name })
  const save = (of: string) =>
    storage.commit('p', { puts: [{ table: 'meta', key: ['law', of], head: 'head' }] })
  await save('one')
  const db = await openDB(`forkpoint:${name}`)
  await db.clear('session')
  await vi.advanceTimersByTimeAsync(10_000)
  await save('two')
  await vi.advanceTimersByTimeAsync(6_000)
  const now = Date.now()
  await expect
    .poll(() => db.getAll('session'), { timeout: 2_000 })
    .toMatchObject([{ number: 0, owes: false, at: expect.closeTo(now, -4) }])
  await vi.advanceTimersByTimeAsync(30_000)
  await expect.poll(() => db.getAll('session')).toEqual([])
  db.close()
  await storage.destroy()
  await storage.close()
})

it('a session owes what it took relaxed, unless nobody takes that for kept', async () => {
  const name = 'session unowed'
  const storage = indexedDbStorage({ name })
  const put = (relaxed: boolean | 'unowed') =>
    storage.commit('p', { puts: [{ table: 'meta', key: ['law', String(relaxed)], head: 'head' }], relaxed })
  onTestFinished(() => storage.close())
  await put('unowed')
  const db = await openDB(`forkpoint:${name}`)
  expect(await db.getAll('session')).toMatchObject([{ number: 0, owes: false }])
  await put(true)
  expect(await db.getAll('session')).toMatchObject([{ number: 0, owes: true }])
  db.close()
  await storage.destroy()
})

it('a save that is written behind is told as taken only when the session is known to owe it', async () => {
  const name = 'session without room'
  const checkpointer = await openCheckpointer({
    name,
    storage: indexedDbStorage({ name }),
    durability: 'async',
    onWarning: () => {},
  })
  onTestFinished(() => checkpointer.close())
  const commit = vi.spyOn(IDBTransaction.prototype, 'commit').mockImplementation(function (
    this: IDBTransaction,
  ) {
    this.abort()
    throw new DOMException('There is no room.', 'QuotaExceededError')
  })
  onTestFinished(() => commit.mockRestore())
  const thread = checkpointer.thread('a')
  await expect(thread.save({ n: 1 })).rejects.toMatchObject({ code: 'QUOTA' })
  await expect(thread.save({ n: 2 })).rejects.toMatchObject({ code: 'QUOTA' })
  commit.mockRestore()
  expect((await thread.save({ n: 3 })).seq).toBe(1)
  await checkpointer.flush()
  expect((await thread.load())?.state).toEqual({ n: 3 })
})
