/** What the hand-written contenders share: a request, or a transaction, as a promise. */
export function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    // Chromium decodes a value when `result` is first asked for, so that is part of the time.
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new Error('failed'))
  })
}

export function done(tx: IDBTransaction): Promise<void> {
  tx.commit()
  return new Promise((resolve, reject) => {
    tx.oncomplete = () => resolve()
    tx.onabort = () => reject(tx.error ?? new Error('aborted'))
  })
}

export function openDb(name: string, upgrade: (db: IDBDatabase) => void): Promise<IDBDatabase> {
  const opening = indexedDB.open(name, 1)
  opening.onupgradeneeded = () => upgrade(opening.result)
  return resultOf(opening)
}

export const upTo = (thread: string, last: number): IDBKeyRange => IDBKeyRange.bound([thread], [thread, last])
