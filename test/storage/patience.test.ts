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
  const frozen = await openDB(`forkpoint:${name}`)
  const store = frozen.transaction('meta', 'readwrite').objectStore('meta')
  let isFrozen = true
  const held = (async () => {
    while (isFrozen) await store.count()
  })()
  const call = watched(put(storage, 'second'))
  await seconds(61)
  expect(call.error).toMatchObject({ code: 'BLOCKED', outcome: 'none' })
  isFrozen = false
  await held
  frozen.close()
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
