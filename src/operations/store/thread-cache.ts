import { escapeId } from '../../storage/keys.ts'
import type { Place } from '../host.ts'
import type { CheckpointFacts } from '../rows/checkpoint-row.ts'
import type { ThreadRow } from '../rows/thread-row.ts'

/** Rows of `threads` as last seen. Only a hint: every commit checks the version. */
export class ThreadCache {
  static readonly #most = 256
  readonly #rows = new Map<string, CachedThread>()

  get(place: Place): CachedThread | undefined {
    return this.#rows.get(placeText(place))
  }

  set(place: Place, thread: ThreadRow, lineage: Lineage = { links: new Map() }): void {
    const text = placeText(place)
    this.#rows.delete(text)
    this.#rows.set(text, { ...thread, lineage })
    if (this.#rows.size > ThreadCache.#most) this.#rows.delete(this.#rows.keys().next().value as string)
  }

  setFamily(place: Place, family: FamilyRow): void {
    const known = this.get(place)
    if (known) this.#rows.set(placeText(place), { ...known, family })
  }

  /** A row that came by the way. Takes the place of no other: beside those stands how their saves hang together. */
  hint(thread: ThreadRow): void {
    if (this.#rows.size < ThreadCache.#most && !this.get(thread.facts)) this.set(thread.facts, thread)
  }

  clear(): void {
    this.#rows.clear()
  }

  forget(thread: string): void {
    for (const text of this.#rows.keys()) if (text.startsWith(`${escapeId(thread)}:`)) this.#rows.delete(text)
  }
}

export interface CachedThread extends ThreadRow {
  readonly lineage: Lineage
  /** As a fork of it has left that row. */
  readonly family?: FamilyRow
}

/** The row of a family: see family.ts. */
export interface FamilyRow {
  readonly version: string | undefined
  /** Lanes in which rows may be left that nobody shows: a removal too large for one commit was under way. */
  readonly sweep: readonly string[]
  /** Other stores may have what is here: what is removed is written down, so that it does not come back. */
  readonly isSynced: boolean
  /** What a later version may have written beside: it stays. */
  readonly beside: object
}

/** How the checkpoints that were saved from here hang together. */
export interface Lineage {
  /** By seq: which seq each one's delta starts from, and what it weighs. */
  readonly links: Map<number, { readonly base: number; readonly size: number }>
  /** The last one that was rewritten as a keyframe. */
  readonly keyframe?: CheckpointFacts
  /** What the state was found to weigh since then, and its chain when that was found. */
  readonly weighed?: { readonly weight: number; readonly chain: number }
}

export const placeText = ({ thread, namespace }: Place): string =>
  `${escapeId(thread)}:${escapeId(namespace)}`
