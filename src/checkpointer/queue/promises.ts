import type { HeadReply, Place, StoredInfo } from '../../operations/host.ts'
import { idOf, infoOf, isConditional, type Entry } from './entry.ts'
import { ToldSeqs } from './told-seqs.ts'

/** What callers are told of saves that are not stored yet. */
export class Promises {
  readonly #told: ToldSeqs
  /** What the store will go on from, once that is known. */
  #next: HeadReply | undefined

  constructor(place: Place) {
    this.#told = new ToldSeqs(place)
  }

  /** Whether it is known what the store will go on from. */
  get canBeMade(): boolean {
    return this.#next !== undefined
  }

  /** The id of what the store goes on from. */
  get head(): string | null {
    return this.#next?.head?.id ?? null
  }

  learned(head: HeadReply): void {
    this.#next ??= head
  }

  /** The head may be another one. */
  forgetHead(): void {
    this.#next = undefined
  }

  /** Nobody is held to anything that was told. */
  forgetAll(): void {
    this.forgetHead()
    this.#told.clear()
  }

  /** Tells the callers what is certain: all that has nothing ahead of it that the store may refuse. */
  make(entries: readonly Entry[]): void {
    if (!this.#next) return
    let { next, head } = this.#next
    for (const entry of entries) {
      if (entry.promised === undefined) {
        if (isConditional(entry)) return
        entry.promised = next
        entry.resolve(infoOf(entry, next, head))
      }
      head = { seq: next++, id: idOf(entry) }
    }
  }

  /** The store has spoken; gives the seq that its caller was told in place of this one, if it was another. */
  stored(entry: Entry, info: StoredInfo): number | undefined {
    // What was forgotten meanwhile stays so.
    if (this.#next) this.#next = { next: info.seq + 1, head: info }
    if (entry.promised === undefined) {
      entry.resolve(info)
      return undefined
    }
    this.#told.stored(entry.promised, info)
    return entry.promised === info.seq ? undefined : entry.promised
  }

  /** A seq that was only promised may yet be another's: the id is certain. Throws when it is another's. */
  named<Ref>(entries: readonly Entry[], ref: Ref): Ref | string {
    const entry = entries.find(({ promised }) => promised === ref)
    if (ref !== undefined && entry) return idOf(entry)
    this.#told.check(ref)
    return ref
  }
}
