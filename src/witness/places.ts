import { fileStore } from './file-store.ts'
import { localStore } from './local-store.ts'
import { harmless, latestOf, type Entry, type Remembered, type WitnessStore } from './witness-store.ts'

/**
 * Where the witness of this database is kept: a private file, which outlives a kill of the browser, and beside it
 * in a page `localStorage`, which takes what is put while the page goes. Either, both or none may be there.
 */
export function witnessPlace(name: string): WitnessStore | undefined {
  const local = harmless(() => (globalThis as { localStorage?: Storage }).localStorage, undefined)
  const manager = (globalThis.navigator as Navigator | undefined)?.storage as StorageManager | undefined
  const file =
    typeof manager?.getDirectory === 'function' ? fileStore(name, () => manager.getDirectory()) : undefined
  if (!local) return file
  const own = localStore(name, local)
  return file ? both(own, file) : own
}

/** Two places as one. What is quick comes first, so that it is done when a call returns. */
export function both(quick: WitnessStore, lasting: WitnessStore): WitnessStore {
  const inBoth =
    <Args extends readonly unknown[]>(call: (store: WitnessStore, ...args: Args) => Promise<void>) =>
    async (...args: Args): Promise<void> =>
      void (await Promise.all([call(quick, ...args), call(lasting, ...args)]))
  return {
    async read(): Promise<Remembered> {
      const [a, b] = await Promise.all([quick.read(), lasting.read()])
      return {
        threads: latestEntries(a.threads, b.threads),
        made: new Map([...a.made, ...b.made]),
        gone: new Map([...a.gone, ...b.gone]),
        ...latestOf(a.thrownAway, b.thrownAway),
        isSure: b.isSure,
      }
    },
    markMade: inBoth((store, database: string) => store.markMade(database)),
    put: inBoth((store, threads: ReadonlyMap<string, Entry>) => store.put(threads)),
    drop: inBoth((store, threads: readonly string[], database: string) => store.drop(threads, database)),
    markGone: inBoth((store, databases: readonly string[]) => store.markGone(databases)),
    unmarkGone: inBoth((store, database: string) => store.unmarkGone(database)),
    noteThrownAway: inBoth((store, note) => store.noteThrownAway(note)),
  }
}

/** Of a thread that both know, what was asked for later. */
function latestEntries(
  a: ReadonlyMap<string, Entry>,
  b: ReadonlyMap<string, Entry>,
): ReadonlyMap<string, Entry> {
  const latest = new Map(a)
  for (const [thread, entry] of b) {
    const other = latest.get(thread)
    if (!other || other.at < entry.at) latest.set(thread, entry)
  }
  return latest
}
