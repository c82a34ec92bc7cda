/** A session that is there to be killed, and what makes the last bytes of its log nobody's loss. */
import { openCheckpointer, type OpenOptions } from 'forkpoint'
import type { Ack, State } from './loads.ts'

/** Saves, and stays open. */
export async function saveAndStay(options: OpenOptions, thread: string, count: number): Promise<Ack[]> {
  const checkpointer = await openCheckpointer(options)
  const handle = checkpointer.thread<State>(thread)
  const done: Ack[] = []
  for (let n = 0; n < count; n++) {
    const mark = `${thread} ${n}`
    const { seq, id } = await handle.save({ mark, messages: [mark.repeat(1 + ((n * 37) % 90))] })
    done.push({ did: 'save', thread, seq, id, mark })
  }
  return done
}

/** Rows of another database of the same site, which share the log: what is cut off it afterwards was none of ours. */
export async function fillLog(bytes: number): Promise<void> {
  const db = await new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open('filler')
    request.onupgradeneeded = () => request.result.createObjectStore('rows', { autoIncrement: true })
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
  for (let written = 0; written < bytes; written += 1000) {
    const tx = db.transaction('rows', 'readwrite', { durability: 'strict' })
    tx.objectStore('rows').put(crypto.getRandomValues(new Uint8Array(1000)))
    await new Promise((resolve, reject) => {
      tx.oncomplete = resolve
      tx.onabort = () => reject(tx.error)
    })
  }
}

/**
 * How long the first saves take, one after the other, in a database that a killed session has left, or has not; and
 * how long it is from the beginning of the opening to the end of the first.
 */
export async function timeFirstSaves(
  options: OpenOptions,
  isUnclean: boolean,
  count: number,
): Promise<{ times: number[]; fromOpening: number }> {
  const made = await openCheckpointer(options)
  await made.thread<State>('t').save({ mark: 'before', messages: [] })
  await made.close()
  if (isUnclean) await leaveMarker(options.name)
  const opened = performance.now()
  const checkpointer = await openCheckpointer(options)
  const thread = checkpointer.thread<State>('t')
  const messages: string[] = []
  const times: number[] = []
  let fromOpening = 0
  for (let n = 0; n < count; n++) {
    messages.push(`message ${n} `.repeat(100))
    const from = performance.now()
    await thread.save({ mark: `${n}`, messages: [...messages] })
    times.push(performance.now() - from)
    if (n === 0) fromOpening = performance.now() - opened
  }
  await checkpointer.destroy()
  return { times, fromOpening }
}

async function leaveMarker(name: string): Promise<void> {
  const db = await new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(`forkpoint:${name}`)
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
  const tx = db.transaction('session', 'readwrite')
  tx.objectStore('session').put({ session: 'killed', number: 0, owes: false })
  await new Promise((resolve) => {
    tx.oncomplete = resolve
  })
  db.close()
}
