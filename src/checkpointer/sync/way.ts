import type { Place, SaveName, SyncPlace } from '../../operations/host.ts'
import type { Asked } from './heeded.ts'
import type { ThreadTally } from './tally.ts'

/** A store as its callers have it: they see which runs have no runner. */
export interface Facade {
  thread(
    id: string,
    options: { readonly namespace: string },
  ): { latestRun(): Promise<{ readonly status: string } | undefined> }
}

/** One namespace of a thread, from one store to another. */
export interface Flow extends Place {
  readonly from: Asked
  readonly to: Asked
  /** The same as its callers have it. */
  readonly taker: Facade
  /** How it stood on the other side, if it was there. */
  readonly takerPlace: SyncPlace | undefined
  /** The other side knows all up to this seq of this lane. */
  readonly known: readonly [lane: string, seq: number] | undefined
  /** The other side knows all pending writes that were filed up to this time. */
  readonly wroteKnown: number
  /** What has come from there just now, to this lane, need not be offered there. */
  readonly skip: (Stretch & { readonly lane: string }) | undefined
  /** Removals that both have heard of. */
  readonly heard: readonly string[]
  readonly tally: ThreadTally
  readonly counts: { checkpoints: number }
}

/** Seqs from one on, up to before another. */
export interface Stretch {
  readonly from: number
  readonly next: number
}

export interface Flowed {
  /** All of this lane up to this seq is known on the other side. */
  readonly upTo: readonly [lane: string, seq: number] | undefined
  /** Where it stands there, if nothing else came in between. */
  readonly taken: (Stretch & { readonly lane: string }) | undefined
  readonly heads: number
  /** Those of the giver, where the other side has them all by now. */
  readonly given: readonly SaveName[] | undefined
  readonly wrote: number
  /** When the latest pending write was filed that was seen with each. */
  readonly filed: readonly [giver: number, taker: number]
}

/** What names a save, and nothing else of it. */
export const nameOf = ({ id, key }: SaveName): { id: string; key?: string } =>
  key === undefined ? { id } : { id, key }

export const heardOf = ({ heard }: Flow): Pick<Flow, 'heard'> | object => (heard.length > 0 ? { heard } : {})
