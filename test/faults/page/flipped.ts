/** A byte of a row of a real IndexedDB is changed, by what anybody can do who opens it beside us. */
import { indexedDbStorage } from 'forkpoint/storage/indexeddb'
import { opened, versionsOf, type Damage, type Flippable } from '../support/flippable.ts'
import { flipRows } from '../support/flips.ts'
import { randomFrom, type Figures } from '../support/proof.ts'
import { fillRichly } from '../support/rich.ts'
import { rowsOf, type StoredRow } from '../support/rows.ts'
import { TABLES, type Put } from '../../../src/storage/storage.ts'

const NAME = 'flipped'
type RawRow = Record<string, unknown>

/** Once for each page: the rows that every round begins with stay in its memory. */
let prepared: Promise<Flippable> | undefined

export async function flip(load: { readonly rounds: number; readonly seed: number }): Promise<Figures> {
  const flippable = await (prepared ??= inIndexedDb())
  return flipRows(flippable, load.rounds, randomFrom(load.seed))
}

async function inIndexedDb(): Promise<Flippable> {
  const open = () => opened(indexedDbStorage({ name: NAME }))
  const checkpointer = await open()
  await fillRichly(checkpointer)
  await checkpointer.close()
  const storage = indexedDbStorage({ name: NAME })
  const rows = await rowsOf(storage)
  await storage.close()
  const db = await done(indexedDB.open(`forkpoint:${NAME}`))
  const raw = await allOf(db)
  return {
    rows,
    hasVersions: true,
    async restore(damage) {
      const tx = db.transaction(TABLES, 'readwrite')
      for (const table of TABLES) {
        const store = tx.objectStore(table)
        store.clear()
        for (const row of raw.get(table) ?? []) if (!damage || !isOf(store, row, damage.row)) store.put(row)
      }
      if (damage?.now) putDamaged(tx.objectStore(damage.row.table), raw, damage, damage.now)
      await ended(tx)
    },
    open,
    async versions() {
      const looking = indexedDbStorage({ name: NAME })
      const versions = await versionsOf(looking)
      await looking.close()
      return versions
    },
  }
}

async function allOf(db: IDBDatabase): Promise<Map<string, readonly RawRow[]>> {
  const tx = db.transaction(TABLES)
  const all = TABLES.map(async (table) => [table, await done(tx.objectStore(table).getAll())] as const)
  return new Map(await Promise.all(all))
}

function putDamaged(
  store: IDBObjectStore,
  raw: ReadonlyMap<string, readonly RawRow[]>,
  { row }: Damage,
  { partition, put, version }: { readonly partition: string; readonly put: Put; readonly version?: string },
): void {
  const was = raw.get(row.table)?.find((each) => isOf(store, each, row))
  const names = columnsOf(store)
  const key = Object.fromEntries([partition, ...put.key].map((part, i) => [names[i], part]))
  store.put({
    ...was,
    ...key,
    head: put.head,
    ...(put.body && { body: put.body }),
    ...(put.alias && { id: put.alias[1] }),
    ...(put.rank !== undefined && { order: -put.rank }),
    ...(version !== undefined && { version }),
  })
}

const columnsOf = ({ keyPath }: IDBObjectStore): readonly string[] => [keyPath].flat().map(String)

const isOf = (store: IDBObjectStore, raw: RawRow, { partition, key }: StoredRow): boolean =>
  indexedDB.cmp(
    columnsOf(store).map((name) => raw[name]),
    [partition, ...key],
  ) === 0

const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new Error('a request failed'))
  })

const ended = (tx: IDBTransaction): Promise<void> =>
  new Promise((resolve, reject) => {
    tx.oncomplete = () => resolve()
    tx.onabort = () => reject(tx.error ?? new Error('a transaction was aborted'))
  })
