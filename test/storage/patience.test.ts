import 'fake-indexeddb/auto'
import { openDB } from 'idb'
import type { Storage } from 'forkpoint'
import { indexedDbStorage } from 'forkpoint/storage/indexeddb'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'

/** The engine goes on by itself; only what is waited for is brought about. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Time passes, and the engine has its turns. */
async function seconds(count: number): Promise<void> {
  for (let second = 0; second < count; second++) {
    await vi.advanceTimersByTimeAsync(1_000)
    await turn()
  }
}

let count = 0
async function opened(): Promise<{ storage: Storage; name: string }> {
  const name = `patience ${++count}`
  const storage = indexedDbStorage({ name })
  await put(storage, 'first')
  return { storage, name }
}

const put = (storage: Storage, head: string) =>
  storage.commit('p', { puts: [{ table: 'meta', key: ['law', head], head }] })

const heads = async (storage: Storage): Promise<string[]> => {
  const [rows = []] = await storage.read('p', [{ table: 'meta', from: ['law'], to: ['law~'] }])
  return rows.map(({ head }) => head)
}

/** What a call has come to by now. */
function watched(call: Promise<unknown>) {
  const seen: { value?: unknown; error?: unknown } = {}
  call.then(
    (value) => (seen.value = value),
    (error: unknown) => (seen.error = error),
  )
  return seen
}

/** The engine commits and never says so. */
function mute(): void {
  const real = EventTarget.prototype.addEventListener
  const listen = IDBTransaction.prototype.addEventListener as typeof real
  vi.spyOn(IDBTransaction.prototype, 'addEventListener').mockImplementation(function (
    this: IDBTransaction,
    ...[type, ...rest]: Parameters<typeof real>
  ) {
    if (type !== 'complete') listen.call(this, type, ...rest)
  })
}

/** Another tab is frozen in the midst of a write, until it is woken. */
async function standStill(name: string, ...stores: string[]): Promise<() => Promise<void>> {
  const frozen = await openDB(`forkpoint:${name}`)
  const store = frozen.transaction(stores, 'readwrite').objectStore(stores[0] as string)
  let isFrozen = true
  const held = (async () => {
    while (isFrozen) await store.count()
  })()
  return async () => {
    isFrozen = false
    await held
    frozen.close()
  }
}

it('a write whose end the engine never tells is told as one of unknown outcome', async () => {
  const { storage } = await opened()
  mute()
  const call = watched(put(storage, 'second'))
  await seconds(59)
  expect(call).toEqual({})
  await seconds(2)
  expect(call.error).toMatchObject({ code: 'BLOCKED', outcome: 'unknown' })
  vi.restoreAllMocks()
  expect(await heads(storage)).toEqual(['first', 'second'])
  expect(await put(storage, 'third')).toMatchObject({ ok: true })
})

it('a write that another tab keeps from beginning is taken back', async () => {
  const { storage, name } = await opened()
  const wake = await standStill(name, 'meta')
  const call = watched(put(storage, 'second'))
  await seconds(61)
  expect(call.error).toMatchObject({ code: 'BLOCKED', outcome: 'none' })
  await wake()
  expect(await heads(storage)).toEqual(['first'])
  expect(await put(storage, 'third')).toMatchObject({ ok: true })
})

it('who has slept has not waited', async () => {
  const { storage } = await opened()
  mute()
  const call = watched(put(storage, 'second'))
  await seconds(59)
  // A long sleep, and the timer is the first to be heard after it.
  const now = performance.now() + 8 * 3_600_000
  vi.spyOn(performance, 'now').mockReturnValue(now)
  await seconds(1)
  expect(call).toEqual({})
  await seconds(1)
  expect(call.error).toMatchObject({ code: 'BLOCKED' })
})

it('a read that another tab keeps waiting is told so, and the next one is answered when it can be', async () => {
  const { storage, name } = await opened()
  const wake = await standStill(name, 'meta')
  const call = watched(heads(storage))
  await seconds(59)
  expect(call).toEqual({})
  await seconds(2)
  expect(call.error).toMatchObject({ code: 'BLOCKED' })
  await wake()
  expect(await heads(storage)).toEqual(['first'])
})

it('a storage that is opened beside a tab that stands still takes the worst to be true, and goes on', async () => {
  const { storage, name } = await opened()
  await storage.close()
  const wake = await standStill(name, 'session')
  const next = indexedDbStorage({ name })
  const report = watched(next.sessionReport?.() ?? Promise.resolve())
  // What does not stand in the way is read meanwhile.
  expect(await heads(next)).toEqual(['first'])
  await seconds(9)
  expect(report).toEqual({})
  await seconds(2)
  expect(report.value).toMatchObject({ unclean: true, owing: [] })
  const call = watched(put(next, 'second'))
  await seconds(61)
  expect(call.error).toMatchObject({ code: 'BLOCKED', outcome: 'none' })
  await wake()
  expect(await put(next, 'third')).toMatchObject({ ok: true })
  await next.close()
})
