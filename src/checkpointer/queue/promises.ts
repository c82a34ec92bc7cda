import type { HeadReply, Place, StoredInfo } from '../../operations/host.ts'
import { idOf, infoOf, isConditional, type Entry } from './entry.ts'
import { ToldSeqs } from './told-seqs.ts'

interface Moved {
  readonly told: number
  readonly now: StoredInfo
}

/** What callers are told of saves that are not stored yet. */
export class Promises {
  readonly #told: ToldSeqs
  /** What the store will go on from, once that is known. */
  #next: HeadReply | undefined
  /** The latest head that is known of, also when there may be another by now. */
  #head: string | null = null
  /** How often the head may have become another one, by what was done from here. */
  #changes = 0

  constructor(place: Place) {
    this.#told = new ToldSeqs(place)
  }

  /** Whether it is known what the store will go on from. */
  get canBeMade(): boolean {
    return this.#next !== undefined
  }

  /** The id of what the store goes on from, as far as is known. */
  get head(): string | null {
    return this.#head
  }

  /** Asks what the store will go on from. */
  async learn(ask: () => Promise<HeadReply>): Promise<void> {
    const changes = this.#changes
    const next = await ask()
    // What was sent without waiting for the answer, or came between saves, may have made another head.
    if (this.#changes !== changes) return this.learn(ask)
    this.#next = next
    this.#head = next.head?.id ?? null
  }

  /** The head may be another one. */
  forgetHead(): void {
    this.#changes++
    this.#next = undefined
  }

  /** Somebody else may have saved since. */
  showsHead(id: string | undefined): void {
    if (this.#next?.head?.id !== id) this.forgetHead()
  }

  /** Nobody is held to anything that was told. */
  forgetAll(): void {
    this.forgetHead()
    this.#head = null
    this.#told.clear()
  }

  /** Tells the callers what is certain: all that has nothing ahead of it that the store may refuse. */
  make(entries: readonly Entry[]): void {
    if (!this.#next) return
    let { next, head } = this.#next
    // One that is to be sent again may be the head already.
    const stored = entries.findIndex((entry) => idOf(entry) === head?.id)
    // Or what came with it is: then nobody knows what these will be called before they have been sent again.
    if (stored < 0 && entries[0]?.isRetry && entries[0].promised !== next) return
    for (const entry of entries.slice(stored + 1)) {
      if (entry.promised === undefined) {
        if (isConditional(entry)) return
        entry.promised = next
        entry.resolve(infoOf(entry, next, head))
      }
      head = { seq: next++, id: idOf(entry) }
    }
  }

  /** The store has spoken; gives what it has called otherwise than its caller was told. */
  stored(batch: readonly Entry[], saved: readonly StoredInfo[]): Moved[] {
    return saved.flatMap((now, i) => {
      const told = this.#stored(batch[i] as Entry, now)
      return told === undefined || told === now.seq ? [] : [{ told, now }]
    })
  }

  #stored(entry: Entry, info: StoredInfo): number | undefined {
    this.#changes++
    this.#head = info.id
    // What was forgotten meanwhile stays so; and of what is stored for longer nobody knows what has come after it.
    const isNew = this.#next && info.seq >= this.#next.next && !entry.isRetry
    this.#next = isNew ? { next: info.seq + 1, head: info } : undefined
    if (entry.promised === undefined) {
      entry.resolve(info)
      return undefined
    }
    this.#told.stored(entry.promised, info)
    return entry.promised
  }

  /** A seq that was only promised may yet be another's: the id is certain. Throws when it is another's. */
  named<Ref>(entries: readonly Entry[], ref: Ref): Ref | string {
    const entry = entries.find(({ promised }) => promised === ref)
    if (ref !== undefined && entry) return idOf(entry)
    this.#told.check(ref)
    return ref
  }
}
