import type { Place } from '../../operations/host.ts'
import type { Json } from '../../state/json.ts'
import { Places } from '../places.ts'

/** The encoded state of a checkpoint, kept so that the next save need only tell what changed. */
export interface KnownState {
  readonly id: string
  /** Names the one save; an id of the caller's may have been used before. */
  readonly key: string
  /** Known once the store has answered. */
  readonly seq?: number
  readonly state: Json
}

const MOST_PLACES = 16
const MOST_STATES = 3

/** For the places last used: their last few states, the most recent first. */
export class KnownStates {
  readonly #places = new Places<readonly KnownState[]>(MOST_PLACES)

  /** The latest one, or the one that is asked for. */
  find(place: Place, ref?: number | string): KnownState | undefined {
    const states = this.#places.get(place) ?? []
    return ref === undefined ? states[0] : states.find((known) => known.id === ref || known.seq === ref)
  }

  /** `latest`: what saves will most likely go on from; a look at an old checkpoint is not. */
  add(place: Place, known: KnownState, latest: boolean): void {
    const rest = (this.#places.get(place) ?? []).filter(({ key, id }) => key !== known.key && id !== known.id)
    const states = latest ? [known, ...rest] : [...rest.slice(0, 1), known, ...rest.slice(1)]
    this.#places.set(place, states.slice(0, MOST_STATES))
  }

  /** The store has answered: from now on it may be asked for by seq. */
  placed(place: Place, key: string, seq: number): void {
    this.#places.change(place, (states) =>
      states.map((known) => (known.key === key ? { ...known, seq } : known)),
    )
  }

  forget(place: Place, key: string): void {
    this.#places.change(place, (states) => states.filter((known) => known.key !== key))
  }

  forgetThread(thread: string): void {
    this.#places.deleteThread(thread)
  }
}
