import { openDB, type IDBPDatabase, type IDBPTransaction } from 'idb'
import { describe, expect, it, onTestFinished } from 'vitest'
import { indexedDbStorage } from '../../src/storage/indexeddb.ts'
import { SCHEMA_VERSION } from '../../src/storage/indexeddb/schema.ts'
import type { Query, Storage } from '../../src/storage/storage.ts'
import { storageSuite } from '../../src/testing/storage-suite.ts'

const run = Math.random().toString(36).slice(2)
let count = 0
const newName = (): string => `storage-${run}-${++count}`

const family: Query = { table: 'meta', keys: [['family', '']] }
const put = { puts: [{ table: 'meta', key: ['family', ''], head: 'm' }] } as const

/** The laws of the port and what IndexedDB adds to them, for whichever engine this runs in. */
export function indexedDbLaws(): void {
  storageSuite('IndexedDB', {
    async open() {
      const open = (): Storage => indexedDbStorage({ name })
      const name = newName()
      return { storage: open(), reopen: async () => open(), another: async () => open() }
    },
  })
  describe('IndexedDB by itself', ownLaws)
}

function ownLaws(): void {
  it('leaves nothing of a batch when one of its rows cannot be stored', async () => {
    const { storage } = open()
    const gone = new Uint8Array(8)
    structuredClone(gone.buffer, { transfer: [gone.buffer] })
    const lost = { table: 'checkpoints', key: ['a', 1], head: '', body: gone } as const
    const checks = [{ table: 'meta', key: ['absent', ''], version: undefined }] as const
    await expect(storage.commit('p', { checks, puts: [...put.puts, lost] })).rejects.toMatchObject({
      code: 'FAILED',
    })
    expect(await storage.partitions({ limit: 10 })).toEqual([])
    expect((await storage.commit('p', put)).ok).toBe(true)
  })

  it('stores of a view its own bytes alone', async () => {
    const { storage, name } = open()
    const body = new Uint8Array(1_000_000).subarray(500, 510)
    await storage.commit('p', { puts: [{ table: 'checkpoints', key: ['a', 1], head: '', body }] })
    const db = await openDB(`forkpoint:${name}`)
    const [row] = (await db.getAll('checkpoints')) as { body: Uint8Array }[]
    db.close()
    expect(row?.body.buffer.byteLength).toBe(10)
  })

  it.each([undefined, 5, null, new Uint8Array(3)])(
    'gives of a row whose head is %s and whose body is none what no seal fits',
    async (head) => {
      const { storage, name } = open()
      const keys = Array.from({ length: 20 }, (_, i) => ['a', i, 'b', 0] as const)
      await storage.commit('p', { puts: keys.map((key) => ({ table: 'parts', key, head: 'h' })) })
      const db = await openDB(`forkpoint:${name}`)
      for (const row of (await db.getAll('parts')) as object[]) {
        const { head: _before, ...rest } = row as { head: string }
        await db.put('parts', { ...rest, ...(head === undefined ? {} : { head }), body: { length: 'long' } })
      }
      db.close()
      const [range, some] = await storage.read('p', [
        { table: 'parts', from: ['a'], to: ['b'] },
        { table: 'parts', keys },
      ])
      expect(range).toEqual(keys.map((key) => ({ key, head: '', version: expect.any(String) as string })))
      expect(some).toEqual(range)
    },
  )

  it('opens a connection that the browser has closed again, once for all that ask', async () => {
    const { storage } = open()
    await storage.commit('p', put)
    const { transaction } = IDBDatabase.prototype
    const { open: openFirst } = IDBFactory.prototype
    onTestFinished(() => {
      IDBDatabase.prototype.transaction = transaction
      IDBFactory.prototype.open = openFirst
    })
    const lost = new Set<IDBDatabase>()
    let opened = 0
    IDBDatabase.prototype.transaction = function (...args) {
      if (lost.size === 0) lost.add(this)
      if (lost.has(this)) throw new DOMException('The database connection is closing.', 'InvalidStateError')
      return transaction.apply(this, args)
    }
    IDBFactory.prototype.open = function (...args) {
      opened++
      return openFirst.apply(this, args)
    }
    const found = await Promise.all([1, 2, 3].map(() => storage.read('p', [family])))
    expect(found.flat(2).map(({ head }) => head)).toEqual(['m', 'm', 'm'])
    expect(opened).toBe(1)
    for (const db of lost) db.close()
  })

  it('lets go of the database when another tab brings a newer version of it, and opens that as it is', async () => {
    const { storage, name } = open()
    await storage.commit('p', put)
    const newer = await openDB(`forkpoint:${name}`, SCHEMA_VERSION + 1, {
      upgrade: (db) => void db.createObjectStore('of a later version'),
    })
    await expect(storage.read('p', [family])).rejects.toMatchObject({ code: 'CLOSED' })
    newer.close()
    for (const each of [storage, indexedDbStorage({ name })]) {
      expect((await each.read('p', [family])).flat()).toMatchObject([{ head: 'm' }])
      expect((await each.commit('p', put)).ok).toBe(true)
      await each.close()
    }
    const left = await openDB(`forkpoint:${name}`)
    expect(left.version).toBe(SCHEMA_VERSION + 1)
    left.close()
    await indexedDbStorage({ name }).destroy()
  })

  it.each([
    ['no store of ours', (db: IDBPDatabase) => db.deleteObjectStore('writes')],
    [
      'a store of ours with another key',
      (db: IDBPDatabase) => {
        db.deleteObjectStore('meta')
        db.createObjectStore('meta', { keyPath: 'key' })
      },
    ],
    [
      'an index less',
      (_: IDBPDatabase, tx: IDBPTransaction<unknown, string[], 'versionchange'>) =>
        tx.objectStore('threads').deleteIndex('latest'),
    ],
  ])('refuses a newer version of the database that has %s', async (_, change) => {
    const { storage, name } = open()
    await storage.commit('p', put)
    await storage.close()
    const newer = await openDB(`forkpoint:${name}`, SCHEMA_VERSION + 1, {
      upgrade: (db, _from, _to, tx) => change(db, tx),
    })
    newer.close()
    const later = indexedDbStorage({ name })
    for (let again = 0; again < 2; again++)
      await expect(later.read('p', [family])).rejects.toMatchObject({ code: 'FORMAT_TOO_NEW' })
    await later.destroy()
  })
}

function open(): { storage: Storage; name: string } {
  const name = newName()
  const storage = indexedDbStorage({ name })
  onTestFinished(async () => {
    await storage.destroy().catch(() => undefined)
    await storage.close()
  })
  return { storage, name }
}
