import type { NewCheckpoint, StoredInfo } from './checkpoints.ts'
import type { At, Place } from './places.ts'
import type { SaveName } from './syncing.ts'

export interface ForkRequest extends Place {
  readonly at?: At
  readonly as: string
  readonly label?: string
  readonly createdAt: number
  /** Makes a retry recognisable, as a save's does. */
  readonly key: string
  /** The edited state: becomes the fork's first checkpoint of its own. */
  readonly first?: NewCheckpoint
  /** The names of what it shows: the rest of its origin's is hidden. All up to the fork point when absent. */
  readonly only?: readonly SaveName[]
  /** With `only`: removals of `as` that are known where it was made, and so were before it. */
  readonly heard?: readonly string[]
}

export interface ForkReply {
  /** The fork's head. */
  readonly head: StoredInfo
}

export interface CopyRequest {
  readonly thread: string
  readonly as: string
  readonly createdAt: number
  /** Makes a retry recognisable, as a save's does. */
  readonly key: string
}
