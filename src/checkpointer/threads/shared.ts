import type { Host } from '../../operations/host.ts'
import type { Codec } from '../../state/codec.ts'
import type { LeasesLater } from '../leases/leases-later.ts'
import type { NewsSource } from '../leases/news.ts'
import type { Writer } from '../saving/writer.ts'
import type { KnownStates } from '../states/known-states.ts'
import type { UnsureCalls } from '../unsure/unsure-calls.ts'

/** What all threads of a checkpointer share. */
export interface Shared {
  readonly host: Host
  readonly codec: Codec
  readonly known: KnownStates
  readonly saves: Writer
  readonly unsure: UnsureCalls
  readonly leases: LeasesLater
  readonly news: NewsSource
  /** What is written behind callers' backs, beside the saves. */
  readonly behind: Set<WrittenBehind>
  /** Aborted when the checkpointer closes. */
  readonly closed: AbortSignal
}

/** What has something that is not stored yet. Neither of its functions may throw. */
export interface WrittenBehind {
  /** Resolves when it is stored. */
  flush(): Promise<void>
  /** The page may be gone any moment: all of it is on its way when this returns. */
  hurry(): void
}
