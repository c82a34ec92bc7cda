import { fileStore } from './file-store.ts'
import { localStore } from './local-store.ts'
import { harmless, type Remembered, type WitnessStore } from './witness-store.ts'

/**
 * Where the witness of this database is kept: `localStorage` in a page, a private file where there is none, or
 * nowhere. Contexts of both kinds may share a database. What each remembers is its own; but which databases are
 * gone concerns all, so a page tells the file too, and asks it.
 */
export function witnessPlace(name: string): WitnessStore | undefined {
  const local = harmless(() => (globalThis as { localStorage?: Storage }).localStorage, undefined)
  const manager = (globalThis.navigator as Navigator | undefined)?.storage as StorageManager | undefined
  const file =
    typeof manager?.getDirectory === 'function' ? fileStore(name, () => manager.getDirectory()) : undefined
  if (!local) return file
  const own = localStore(name, local)
  return file ? beside(own, file) : own
}

export interface Beside extends Pick<WitnessStore, 'read' | 'markGone' | 'unmarkGone'> {
  readonly isThere: () => Promise<boolean>
}

/** A page's own witness, with that of workers beside it. */
export function beside(own: WitnessStore, file: Beside): WitnessStore {
  return {
    ...own,
    async read(): Promise<Remembered> {
      const { threads, gone } = await own.read()
      // Asked only by those who may miss something.
      const others = threads.size > 0 ? (await file.read()).gone : []
      return { threads, gone: new Map([...gone, ...others]) }
    },
    async markGone(databases) {
      await own.markGone(databases)
      // A service worker that had a witness has left a file.
      if (await file.isThere()) await file.markGone(databases)
    },
    async unmarkGone(database) {
      await own.unmarkGone(database)
      if (await file.isThere()) await file.unmarkGone(database)
    },
  }
}
