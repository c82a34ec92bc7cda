import { CheckpointerError } from '../../errors.ts'
import type { Place } from '../../operations/host.ts'
import { equalJson, type Json } from '../../state/json.ts'
import { Places } from '../places.ts'

/** A change that was sent, and of which nobody could say whether it was made. */
export interface Unsure {
  /** Names this one change: when it is sent again under it, it is recognised if it was made. */
  readonly key: string
  /** What was asked for beside the state. */
  readonly asked: string
  readonly state?: Json | undefined
}

const MOST = 100

/**
 * So that a change whose outcome is unknown may simply be called for again, by the same call, without being made
 * twice. Only the next calls in a place are taken for that: whoever does something else instead has decided
 * otherwise, and an equal state later on is a checkpoint of its own.
 */
export class UnsureChanges<Change extends Unsure = Unsure> {
  readonly #places = new Places<readonly Change[]>(MOST)

  /** Makes a change, or makes it again. What it is made from is read at once. */
  async call<T>(
    place: Place,
    fresh: Change,
    make: (change: Change, again: boolean) => Promise<T>,
  ): Promise<T> {
    const earlier = this.#again(place, fresh)
    const change = earlier ?? fresh
    try {
      return await make(change, earlier !== undefined)
    } catch (error) {
      // Of a change that is made again, only a refusal says that it was not made the first time.
      if (CheckpointerError.is(error) && (earlier ? error.code !== 'CONFLICT' : error.outcome === 'unknown'))
        this.#add(place, change)
      throw error
    }
  }

  at(place: Place): readonly Change[] {
    return this.#places.get(place) ?? []
  }

  /**
   * The caller was shown the head. Of what was unsure before, only that very one may still be called for again:
   * taken for another, an equal state would not become the head.
   */
  shown(place: Place, before: readonly Change[], head: string | undefined): void {
    if (before.length > 0)
      this.#set(
        place,
        this.at(place).filter((unsure) => unsure.key === head || !before.includes(unsure)),
      )
  }

  forget(place: Place): void {
    this.#places.delete(place)
  }

  forgetThread(thread: string): void {
    this.#places.deleteThread(thread)
  }

  /** What is called for now, if it is unsure: with that, neither it nor what came before is unsure any more. */
  #again(place: Place, { asked, state }: Unsure): Change | undefined {
    const all = this.at(place)
    const found = all.findIndex((unsure) => unsure.asked === asked && isSame(unsure.state, state))
    this.#set(place, found < 0 ? [] : all.slice(found + 1))
    return all[found]
  }

  #add(place: Place, change: Change): void {
    this.#set(place, [...this.at(place), change].slice(-MOST))
  }

  #set(place: Place, all: readonly Change[]): void {
    if (all.length > 0) this.#places.set(place, all)
    else this.#places.delete(place)
  }
}

const isSame = (a: Json | undefined, b: Json | undefined): boolean =>
  a === undefined || b === undefined ? a === b : equalJson(a, b)
