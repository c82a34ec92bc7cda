import type { Act, Problem } from '../../checkpoint.ts'
import type { Key, Table } from '../../storage/storage.ts'

export interface UsageRequest {
  /** Goes on where an answer has ended. */
  readonly after?: UsageCursor
}

export interface UsageCursor {
  readonly partition: string
  /** What is left of it; absent when it is done. */
  readonly left?: readonly { readonly table: Table; readonly from: Key }[]
}

/** What was counted on the way; a thread may come again with the next answer. */
export interface UsageReply {
  /** Bytes of rows, as they were handed to the storage. */
  readonly bytes: number
  readonly threads: number
  readonly checkpoints: number
  readonly perThread: readonly ThreadUsage[]
  readonly next?: UsageCursor
}

export interface ThreadUsage {
  readonly thread: string
  readonly bytes: number
  readonly checkpoints: number
}

/** A place between two rows, in the order in which `verify` reads them. */
export interface Cursor {
  readonly partition: string
  readonly table: Problem['table']
  /** The key of the row before; absent at the beginning of the table. */
  readonly after?: readonly (string | number)[]
}

export interface VerifyRequest {
  readonly from?: Cursor
}

export interface VerifyReply {
  readonly checked: number
  readonly problems: readonly Problem[]
  readonly next?: Cursor
}

/** A page of a repair: pages are asked for in order, by one who made up the id. */
export interface RepairRequest {
  readonly id: string
  readonly page: number
  /** Only says what it would do. */
  readonly isPlan: boolean
}

export interface RepairReply {
  readonly checked: number
  /** What there was before. */
  readonly problems: readonly Problem[]
  readonly acts: readonly Act[]
  /** What the next page does; only one that mends changes anything. Absent when all is done. */
  readonly next?: 'look' | 'mend'
}
