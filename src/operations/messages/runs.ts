import type { Place } from './places.ts'

/** `running` too when its runner is gone: only whoever knows of its lease can tell. */
export type StoredStatus = 'running' | 'waiting' | 'finished' | 'failed' | 'stopped'

/** The latest run of a namespace, as it stands with the thread. */
export interface StoredRun {
  readonly id: string
  readonly status: StoredStatus
  /** Changes when a runner takes it up: what belongs to another turn comes from one that was replaced. */
  readonly turn: string
  /** When it began, and when this was written, in milliseconds since 1970. */
  readonly began: number
  readonly at: number
  /** Why it has failed or was stopped, in a few words for people. */
  readonly why?: string
}

export interface RunsRequest {
  readonly limit: number
  readonly after?: { readonly rank: number; readonly thread: string }
}

export interface RunsReply {
  readonly items: readonly (Place & { readonly run: StoredRun })[]
  readonly next?: { readonly rank: number; readonly thread: string }
}
