import type { Place, WitnessedHead } from '../operations/host.ts'
import type { Entry } from './witness-store.ts'

/** How many threads are remembered: those saved to last. */
export const MOST_THREADS = 500

interface Known {
  readonly at: number
  readonly seqs: ReadonlyMap<string, number>
}

/** The heads of one database as this tab knows them, the latest threads last, and which are not written down yet. */
export class Heads {
  readonly #known = new Map<string, Known>()
  readonly #unwritten = new Set<string>()

  note({ thread, namespace }: Place, seq: number, at: number): void {
    const seqs = new Map(this.#known.get(thread)?.seqs).set(namespace, seq)
    this.#known.delete(thread)
    this.#known.set(thread, { at, seqs })
    this.#unwritten.add(thread)
  }

  forget(thread: string): void {
    this.#known.delete(thread)
    this.#unwritten.delete(thread)
  }

  /** Takes up what was written down earlier; what is known already is newer. */
  recall(entries: ReadonlyMap<string, Entry>): void {
    const newer = [...this.#known]
    this.#known.clear()
    for (const [thread, { at, seqs }] of entries) this.#known.set(thread, { at, seqs: new Map(seqs) })
    for (const [thread, { at, seqs }] of newer) {
      const known = this.#known.get(thread)
      this.#known.delete(thread)
      this.#known.set(thread, { at, seqs: new Map([...(known?.seqs ?? []), ...seqs]) })
    }
  }

  get isWritten(): boolean {
    return this.#unwritten.size === 0
  }

  /** What is to be written down now, as of this database. */
  takeUnwritten(database: string): Map<string, Entry> {
    const entries = [...this.#unwritten].flatMap((thread): [string, Entry][] => {
      const known = this.#known.get(thread)
      return known ? [[thread, { database, at: known.at, seqs: [...known.seqs] }]] : []
    })
    this.#unwritten.clear()
    return new Map(entries)
  }

  /** Lets go of the oldest beyond the bound, and says which. */
  takeSurplus(): string[] {
    const surplus = [...this.#known.keys()].slice(0, Math.max(0, this.#known.size - MOST_THREADS))
    for (const thread of surplus) this.forget(thread)
    return surplus
  }

  clear(): void {
    this.#known.clear()
    this.#unwritten.clear()
  }
}

/** What entries claim, the latest first. */
export const headsOf = (entries: ReadonlyMap<string, Entry>): WitnessedHead[] =>
  [...entries]
    .sort(([, a], [, b]) => b.at - a.at)
    .flatMap(([thread, { at, seqs }]) => seqs.map(([namespace, seq]) => ({ thread, namespace, seq, at })))
