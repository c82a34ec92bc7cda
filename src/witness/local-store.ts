import { escapeId, unescapeId } from '../storage/escape-id.ts'
import {
  harmless,
  isCount,
  latestOf,
  NOTHING,
  parseEntry,
  parseJson,
  parseThrownAway,
  surplusOf,
  type Entry,
  type WitnessStore,
} from './witness-store.ts'

/** What is used of `localStorage`. */
export type Area = Pick<Storage, 'length' | 'key' | 'getItem' | 'setItem' | 'removeItem'>

/** Of all databases of the site. */
const THROWN_AWAY = 'forkpoint:thrown-away'

/**
 * The witness of pages: a key a thread, and a key a database that is gone, so that tabs do not read and change the
 * same one. All of a call is done when it returns, also while the page goes.
 */
export function localStore(name: string, area: Area): WitnessStore {
  // Escaped ids have no colon: names and threads never run together.
  const threadsAre = `forkpoint:heads:${escapeId(name)}:`
  const madeAre = `forkpoint:made:${escapeId(name)}:`
  const goneAre = `forkpoint:gone:${escapeId(name)}:`
  const keyOf = (thread: string): string => threadsAre + escapeId(thread)
  const entryAt = (key: string): Entry | undefined => parseEntry(parseJson(area.getItem(key)))
  const readAll = () => {
    const threads = new Map<string, Entry>()
    const made = new Map<string, number>()
    const gone = new Map<string, number>()
    for (let i = 0; i < area.length; i++) {
      const key = area.key(i) ?? ''
      const entry = key.startsWith(threadsAre) ? entryAt(key) : undefined
      if (entry) threads.set(unescapeId(key.slice(threadsAre.length)), entry)
      for (const [prefix, databases] of [
        [madeAre, made],
        [goneAre, gone],
      ] as const) {
        const since = key.startsWith(prefix) ? parseJson(area.getItem(key)) : undefined
        if (isCount(since)) databases.set(unescapeId(key.slice(prefix.length)), since)
      }
    }
    const said = parseThrownAway(parseJson(area.getItem(THROWN_AWAY)))
    // It is written to the disk behind, and less of it may have come there than was saved.
    return { threads, made, gone, ...latestOf(said, undefined), isSure: false }
  }
  return {
    read: async () => harmless(readAll, NOTHING),
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
    async markMade(database) {
      const key = madeAre + escapeId(database)
      harmless(() => void (area.getItem(key) ?? area.setItem(key, String(Date.now()))), undefined)
    },
    async markGone(databases) {
      harmless(() => {
        const now = String(Date.now())
        for (const database of databases) {
          area.setItem(goneAre + escapeId(database), now)
          area.removeItem(madeAre + escapeId(database))
        }
        for (const old of surplusOf(readAll().gone)) area.removeItem(goneAre + escapeId(old))
      }, undefined)
    },
    async unmarkGone(database) {
      harmless(() => area.removeItem(goneAre + escapeId(database)), undefined)
    },
    async noteThrownAway(note) {
      harmless(() => area.setItem(THROWN_AWAY, JSON.stringify(note)), undefined)
    },
  }
}
