/** Every row of every object store of every database of this origin, as text. Read past the package. */
export async function dump(): Promise<string[]> {
  const rows: string[] = []
  for (const { name = '' } of await indexedDB.databases()) {
    const database = await settled(indexedDB.open(name))
    for (const store of database.objectStoreNames) {
      const objects = database.transaction(store).objectStore(store)
      const [keys, values] = await Promise.all([settled(objects.getAllKeys()), settled(objects.getAll())])
      rows.push(...keys.map((key, i) => JSON.stringify([name, store, key, values[i]], plain)))
    }
    database.close()
  }
  return rows
}

const settled = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new Error('no reason given'))
  })

function plain(_: string, value: unknown): unknown {
  if (value instanceof ArrayBuffer) return [...new Uint8Array(value)].join()
  if (ArrayBuffer.isView(value))
    return [...new Uint8Array(value.buffer, value.byteOffset, value.byteLength)].join()
  return value
}
