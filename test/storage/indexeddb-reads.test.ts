import 'fake-indexeddb/auto'
import { expect, it, onTestFinished, vi } from 'vitest'
import { indexedDbStorage } from '../../src/storage/indexeddb.ts'
import type { Query } from '../../src/storage/storage.ts'

const ROWS = 200
const keyOf = (i: number): [string, number, string, number] => ['lane', i, 'owner', 0]

it('asks the engine for a few things at a time, whatever a read asks for, and answers in order', async () => {
  const storage = indexedDbStorage({ name: 'reads in groups' })
  onTestFinished(() => storage.close())
  const puts = Array.from({ length: ROWS }, (_, i) => ({
    table: 'parts' as const,
    key: keyOf(i),
    head: `row ${i}`,
  }))
  await storage.commit('p', { puts })

  let [burst, most] = [0, 0]
  const count = (): void => {
    if (burst === 0) setImmediate(() => (burst = 0))
    most = Math.max(most, ++burst)
  }
  for (const name of ['get', 'getAll'] as const) {
    const ask = IDBObjectStore.prototype[name]
    vi.spyOn(IDBObjectStore.prototype, name).mockImplementation(function (
      this: IDBObjectStore,
      ...args: unknown[]
    ) {
      count()
      return Reflect.apply(ask, this, args) as IDBRequest
    })
  }
  onTestFinished(() => void vi.restoreAllMocks())

  const ranges = puts.map(({ key }, i): Query => ({ table: 'parts', from: key, to: keyOf(i + 1) }))
  const keys: Query = { table: 'parts', keys: puts.map(({ key }) => key) }
  const found = await storage.read('p', [...ranges, keys])
  expect(found.slice(0, -1).map((rows) => rows.map(({ head }) => head))).toEqual(
    puts.map(({ head }) => [head]),
  )
  expect(found.at(-1)?.map(({ head }) => head)).toEqual(puts.map(({ head }) => head))
  expect(most).toBeGreaterThan(1)
  expect(most).toBeLessThanOrEqual(64)
})
