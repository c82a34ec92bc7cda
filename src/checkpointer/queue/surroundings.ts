import type { CheckpointerError } from '../../errors.ts'
import type { Host, Place } from '../../operations/host.ts'

/** What the queue of a place stands in. */
export interface QueueSurroundings {
  readonly host: Pick<Host, 'saveMany' | 'head'>
  /** Only the last state is kept, and nothing is sent until it is asked for. */
  readonly lastOnly: boolean
  /** Resolves when the store knows that something may be owed to it. */
  readonly owe: () => Promise<void>
  /** Something was put in, or is stored, or has failed. */
  readonly changed: () => void
  readonly placed: (place: Place, key: string, seq: number) => void
  readonly forget: (place: Place, key: string) => void
  readonly warn: (warning: CheckpointerError) => void
}
