/**
 * The storage port: ordered rows, consistent reads, one atomic conditional batch.
 *
 * What an adapter guarantees, and `storageSuite` proves:
 * - a `read` sees one moment: all of a commit or nothing of it, over all its queries;
 * - a `commit` is all or nothing, and is refused (`{ ok: false }`) when one of its checks does not hold;
 * - commits to one partition are linearizable; nothing is promised across partitions, save one thing:
 *   a row of `threads` lives in one partition at a time, so that putting it into a second one conflicts;
 * - what `commit` acknowledged is there after the process is gone, as far as the engine can tell.
 */
export interface Storage {
  /** What this engine takes: larger things are cut to fit, or refused. */
  readonly limits: Limits
  /** Runs several queries against one consistent snapshot of a partition; one list of rows for each. */
  read(partition: string, queries: readonly Query[]): Promise<Row[][]>
  /** Writes all of a batch or nothing. `{ ok: false }` when a check failed: read again and decide. */
  commit(partition: string, batch: Batch): Promise<CommitResult>
  /** Which partition holds this row of `threads`, over all partitions. */
  locate(key: Key): Promise<{ readonly partition: string; readonly row: Row } | undefined>
  /** Rows of `threads` that have a rank, over all partitions, the greatest rank first. */
  list(query: ListQuery): Promise<ListedRow[]>
  /** Names of partitions in use, in ascending order of code units, after the given one. */
  partitions(query: { readonly after?: string; readonly limit: number }): Promise<string[]>
  /** Removes every row of every partition. */
  destroy(): Promise<void>
  /** Lets go of the engine. What is called after it rejects with `CLOSED`. */
  close(): Promise<void>
  /** For storages that know how the sessions before this one have ended. Opens the storage when need be. */
  sessionReport?(): Promise<SessionReport>
  /**
   * From here on something is acknowledged before it is durable: to be awaited before the first such
   * acknowledgement, and to be called before each. Holds until `rest`; should this session be killed before that,
   * the next one's report has its name, which this gives: the one that was asked for, unless it owes under another.
   */
  owe?(session?: string): Promise<string>
  /** Of these sessions nothing is owed any more; `inOrder`: they were not killed after all. */
  settle?(sessions: readonly string[], inOrder: boolean): Promise<void>
  /** All is written, and nothing will be for now: a session that is killed after this has ended in order. */
  rest?(): Promise<void>
}

/** How the sessions before this one have ended, as far as a storage knows. */
export interface SessionReport {
  /** A session before this one was killed, or its machine went down, between two of its writes. */
  readonly unclean: boolean
  /** Those known to be among them that had acknowledged what was not durable yet: some of it may be lost. */
  readonly owing: readonly string[]
  /** In its words, what the engine has thrown away because its files were damaged. */
  readonly dataLoss?: string
}

/**
 * - `threads`: a row a thread and namespace
 * - `checkpoints`: a row a checkpoint, by lane and sequence, with its id as alias
 * - `parts`: the pieces of a payload too large for its row
 * - `writes`: pending writes
 * - `meta`: what a partition, or the database (in partition ''), knows of itself, by name and of what
 */
export const TABLES = ['threads', 'checkpoints', 'parts', 'writes', 'meta'] as const
/** One of the five. */
export type Table = (typeof TABLES)[number]

/**
 * A tuple, ordered part by part. Strings are printable ASCII of at most `limits.keyBytes` in all, numbers are
 * safe integers from 0; at the same position of one table there is always the same type.
 */
export type Key = readonly (string | number)[]

/** A row as it is stored. */
export interface Row {
  /** What it is found by, within its table and partition. */
  readonly key: Key
  /** Short ASCII text, always there. */
  readonly head: string
  /** Its payload, where it has one. */
  readonly body?: Uint8Array
  /** Opaque; changes whenever the row is put, and never comes back. */
  readonly version: string
}

/** A row as `list` gives it. */
export interface ListedRow extends Row {
  /** Where it stands. */
  readonly partition: string
  /** What it is ordered by. */
  readonly rank: number
}

/** Rows by their keys, one by its alias, or a range of them. */
export type Query =
  | { readonly table: Table; readonly keys: readonly Key[] }
  | { readonly table: 'checkpoints'; readonly alias: Key }
  | ({ readonly table: Table } & Range)

/** Rows with `from` <= key < `to`. A shorter key comes before the longer ones that begin with it. */
export interface Range {
  /** The first key that is in it. */
  readonly from: Key
  /** The first key behind it that is not. */
  readonly to: Key
  /** The greatest first. */
  readonly reverse?: boolean
  /** The most to give. */
  readonly limit?: number
}

/** Which page of a list. */
export interface ListQuery {
  /** The most to give. */
  readonly limit: number
  /** Only rows whose rank is lower than this one (or equal, with a greater key). */
  readonly after?: { readonly rank: number; readonly key: Key }
}

/** A row to be written. */
export interface Put {
  /** Where it goes. */
  readonly table: Table
  /** What it is found by. */
  readonly key: Key
  /** Short ASCII text, read with every list. */
  readonly head: string
  /** Its payload, where it has one. */
  readonly body?: Uint8Array
  /** For rows of `checkpoints`: a second key to find the row by, unique within its partition at one time. */
  readonly alias?: Key
  /** For rows of `threads` that `list` shows: a number that orders them. */
  readonly rank?: number
}

/** The row must have this version, or must not exist. */
export interface Check {
  /** Where the row stands. */
  readonly table: Table
  /** Which row. */
  readonly key: Key
  /** The one that it must have; `undefined`: there must be none. */
  readonly version: string | undefined
}

/** What one commit checks and writes. */
export interface Batch {
  /** All of these must hold, or nothing is written. */
  readonly checks?: readonly Check[]
  /** Rows to write, in place of those that have their keys. */
  readonly puts?: readonly Put[]
  /** Rows to remove; one that is not there is passed over. */
  readonly deletes?: readonly { readonly table: Table; readonly key: Key }[]
  /** Carried out before `deletes` and `puts`, so that a put into the range stays. */
  readonly deleteRanges?: readonly { readonly table: Table; readonly from: Key; readonly to: Key }[]
  /**
   * A crash of the machine may take this commit back, until a later one without this has succeeded. Only a hint:
   * an engine that knows no such thing makes every commit durable. `unowed`: nobody takes it for kept until then, so
   * that whoever finds a session that was killed has lost nothing by this.
   */
  readonly relaxed?: boolean | 'unowed'
}

/** `version` is the one that every row of the batch now has. */
export type CommitResult = { readonly ok: true; readonly version: string } | { readonly ok: false }

/** What one engine takes. Infinity where there is no bound that matters. */
export interface Limits {
  /** Bytes of a key: the sum of its strings, and 16 for each number. */
  readonly keyBytes: number
  /** Bytes of a row's head and body together. */
  readonly valueBytes: number
  /** Checks, puts, deletes and ranges of one commit together. */
  readonly operations: number
  /** Bytes of all heads and bodies of one commit. */
  readonly commitBytes: number
}

/** What a row counts for in the limits. Heads are ASCII, so that their length is their bytes. */
export const bytesOf = ({ head, body }: Pick<Put, 'head' | 'body'>): number =>
  head.length + (body?.length ?? 0)

/** Compares keys as every storage orders them: numbers by value, strings by code unit, shorter first. */
export function compareKeys(a: Key, b: Key): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const x = a[i] as string | number
    const y = b[i] as string | number
    if (x !== y) return x < y ? -1 : 1
  }
  return a.length - b.length
}
