/**
 * Two writes of one database, to different stores, that are on the disk and not committed. A Chromium that is killed
 * now takes their locks for conflicting at the next start, and throws away all databases of the origin. It is no
 * database of ours: any other script of a site may do that.
 */
export async function writeTwoHalves(): Promise<void> {
  const db = await new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open('of another library')
    request.onupgradeneeded = () => {
      for (const store of ['a', 'b']) request.result.createObjectStore(store)
    }
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
  await Promise.all(
    ['a', 'b'].map((store) => writeHalf(db.transaction(store, 'readwrite').objectStore(store))),
  )
}

/** Resolves when some of it has been written, and goes on for as long as the page lives. */
async function writeHalf(store: IDBObjectStore): Promise<void> {
  await new Promise<void>((resolve) => {
    let written = 0
    const put = (): void => {
      written++
      if (written === 20) resolve()
      const row = crypto.getRandomValues(new Uint8Array(20_000))
      store.put(row, written % 200).onsuccess = put
    }
    put()
  })
}
