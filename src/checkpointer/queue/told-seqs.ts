import { CheckpointerError } from '../../errors.ts'
import type { Place, StoredInfo } from '../../operations/host.ts'
import { whyShifted } from './failures.ts'

/** So many are remembered for each place. */
const MOST = 256

/** The seqs that callers were told and that are other writers' checkpoints by now. */
export class ToldSeqs {
  readonly #place: Place
  readonly #mine = new Map<number, StoredInfo>()

  constructor(place: Place) {
    this.#place = place
  }

  /** What was told as `told` is stored as `now`. */
  stored(told: number, now: StoredInfo): void {
    this.#mine.delete(told)
    if (told !== now.seq) this.#mine.set(told, now)
    if (this.#mine.size > MOST) this.#mine.delete(this.#mine.keys().next().value as number)
  }

  clear(): void {
    this.#mine.clear()
  }

  /** It may be meant as it was told, or as it was read since: to guess could remove what another has saved. */
  check(ref: unknown): void {
    if (typeof ref !== 'number') return
    const now = this.#mine.get(ref)
    if (!now) return
    throw new CheckpointerError(
      'CONFLICT',
      `${whyShifted(ref, now)}: ${ref} was told for ${JSON.stringify(now.id)}, which is ${now.seq}, and is another checkpoint. Name the one you mean by its id.`,
      { ...this.#place, seq: now.seq },
    )
  }
}
