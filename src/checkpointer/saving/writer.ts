import type { Place, SaveRequest, StoredInfo } from '../../operations/host.ts'
import type { Json } from '../../state/json.ts'
import type { KnownState } from '../states/known-states.ts'

/** A save as it was captured. */
export interface CapturedSave {
  readonly request: SaveRequest
  readonly state: Json
  /** What the request's delta starts from. */
  readonly start: KnownState | undefined
}

/** Resolves when the save is as safe as the mode of durability promises. */
export type Send = (captured: CapturedSave) => Promise<StoredInfo>

/** What becomes of saves between their capture and the store: a mode of durability each. */
export interface Writer {
  /** Runs a save; its synchronous part at once, and that sends what it has captured. */
  run<T>(place: Place, save: (send: Send) => Promise<T>): Promise<T>
  /** A caller's seq or id, as the store is to be asked for it: a seq may have been told before it was certain. */
  named(place: Place, ref: number | string): number | string
  /**
   * Waits for all that was saved so far, and resolves when it is durable. Rejects with a failure when some of it
   * could not be saved: also one that a save, which was under way at the call, is rejected with itself.
   */
  flush(): Promise<void>
  /** Takes no more saves, and ends those under way. Rejects with what could not be written, if it told nobody. */
  close(): Promise<void>
}

/** Waits for each, and rejects with the first failure among them. */
export async function allOf(work: readonly Promise<unknown>[]): Promise<void> {
  for (const done of await Promise.allSettled(work)) if (done.status === 'rejected') throw done.reason
}
