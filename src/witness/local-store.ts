import { escapeId, unescapeId } from '../storage/keys.ts'
import { harmless, parseEntry, parseGone, parseJson, type Entry, type WitnessStore } from './witness-store.ts'

/** What is used of `localStorage`. */
export type Area = Pick<Storage, 'length' | 'key' | 'getItem' | 'setItem' | 'removeItem'>

/**
 * The witness of pages: a key a thread, so that tabs do not read and write the same one, and a key for the
 * databases that are gone. All of a call is done when it returns, also while the page goes.
 */
export function localStore(name: string, area: Area): WitnessStore {
  // Escaped ids have no colon: names and threads never run together.
  const threadsAre = `forkpoint:heads:${escapeId(name)}:`
  const goneAre = `forkpoint:gone:${escapeId(name)}`
  const keyOf = (thread: string): string => threadsAre + escapeId(thread)
  const entryAt = (key: string): Entry | undefined => parseEntry(parseJson(area.getItem(key)))
  const readAll = () => {
    const threads = new Map<string, Entry>()
    for (let i = 0; i < area.length; i++) {
      const key = area.key(i)
      if (!key?.startsWith(threadsAre)) continue
      const entry = entryAt(key)
      if (entry) threads.set(unescapeId(key.slice(threadsAre.length)), entry)
    }
    return { threads, gone: parseGone(parseJson(area.getItem(goneAre))) }
  }
  return {
    read: async () => harmless(readAll, { threads: new Map<string, Entry>(), gone: [] }),
    async put(threads) {
      for (const [thread, entry] of threads)
        harmless(() => area.setItem(keyOf(thread), JSON.stringify(entry)), undefined)
    },
    async drop(threads, database) {
      for (const thread of threads)
        harmless(() => {
          if (entryAt(keyOf(thread))?.database === database) area.removeItem(keyOf(thread))
        }, undefined)
    },
    async setGone(databases) {
      harmless(() => area.setItem(goneAre, JSON.stringify(databases)), undefined)
    },
  }
}
