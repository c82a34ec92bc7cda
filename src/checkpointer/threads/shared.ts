import type { Host } from '../../operations/host.ts'
import type { Codec } from '../../state/codec.ts'
import type { Leases } from '../leases/leases.ts'
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
  readonly leases: Leases
  readonly news: NewsSource
  /** What `flush` writes beside the saves. */
  readonly flushed: Set<() => Promise<void>>
  /** Aborted when the checkpointer closes. */
  readonly closed: AbortSignal
}
