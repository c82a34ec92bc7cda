import 'fake-indexeddb/auto'
import { expect, it, onTestFinished, vi } from 'vitest'
import { indexedDbStorage } from '../../src/storage/indexeddb.ts'
import { TABLES, type Table } from '../../src/storage/storage.ts'

it('no two writes of a database are ever under way at once, whatever tables they are for', async () => {
  const begin = vi.spyOn(IDBDatabase.prototype, 'transaction')
  onTestFinished(() => begin.mockRestore())
  const keys: Record<Table, readonly (string | number)[]> = {
    threads: ['t', ''],
    checkpoints: ['lane', 1],
    parts: ['lane', 1, 'owner', 1],
    writes: ['lane', 1, 'task', 1],
    meta: ['law', 'one'],
  }
  const storage = indexedDbStorage({ name: 'one write' })
  await Promise.all([
    ...TABLES.map((table) => storage.commit('p', { puts: [{ table, key: keys[table], head: 'head' }] })),
    storage.commit('p', { deletes: [{ table: 'meta', key: ['law', 'two'] }], relaxed: true }),
    storage.owe?.(),
  ])
  await storage.rest?.()
  await storage.destroy?.()

  const scopes = begin.mock.calls
    .filter(([, mode]) => mode === 'readwrite')
    .map(([stores]) => [stores].flat())
  expect(scopes.length).toBeGreaterThan(TABLES.length)
  const [first = [], ...others] = scopes
  // Those that have a store in common wait for one another.
  expect(first.filter((store) => others.every((each) => each.includes(store)))).not.toEqual([])
})
