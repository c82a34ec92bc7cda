/** Plain IndexedDB on the page, written by hand as well as it can be: what everything is compared with. */
export interface Raw {
  put(key: number | string, value: unknown): Promise<void>
  get(key: number | string): Promise<unknown>
  /** Rows with `first` <= key <= `last`. */
  range(first: number, last: number): Promise<unknown[]>
  close(): void
}

const STORE = 'rows'

export async function openRaw(name: string): Promise<Raw> {
  const opening = indexedDB.open(name, 1)
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE)
  const db = await resultOf(opening)
  const reading = (): IDBObjectStore => db.transaction(STORE, 'readonly').objectStore(STORE)
  return {
    put: (key, value) =>
      new Promise((resolve, reject) => {
        const tx = db.transaction(STORE, 'readwrite', { durability: 'strict' })
        tx.objectStore(STORE).put(value, key)
        tx.commit()
        tx.oncomplete = () => resolve()
        tx.onabort = () => reject(tx.error ?? new Error('aborted'))
      }),
    get: (key) => resultOf<unknown>(reading().get(key)),
    range: (first, last) => resultOf<unknown[]>(reading().getAll(IDBKeyRange.bound(first, last))),
    close: () => db.close(),
  }
}

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    // Chromium decodes a value when `result` is first asked for, so that is part of the time.
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new Error('failed'))
  })
}
