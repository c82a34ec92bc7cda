/** Where a checkpoint came from. Any other word of your own is fine too. */
export type Source = 'input' | 'loop' | 'update' | 'fork' | (string & {})

/** What a caller may say about a checkpoint beside its state. */
export interface CheckpointFields {
  /** The node or step of the agent that has just run. */
  readonly node?: string
  /** The nodes that are to run next. */
  readonly next?: readonly string[]
  /** The step's number, by the caller's own count. */
  readonly step?: number
  /** The run that it belongs to, by an id of the caller's or of `thread.run`. */
  readonly runId?: string
  /** Which workflow of the agent's it belongs to. */
  readonly workflow?: string
  /** A name to find this checkpoint by. */
  readonly label?: string
  /** Where it came from. */
  readonly source?: Source
  /** The nodes that were run on the way here. */
  readonly path?: readonly string[]
  /** Anything else; every kind of value that a state may hold. */
  readonly extra?: Readonly<Record<string, unknown>>
}

/** A checkpoint without its state: what a list shows. */
export interface CheckpointInfo extends CheckpointFields {
  /** The thread's id. */
  readonly thread: string
  /** The namespace within the thread; `''` is the root. */
  readonly namespace: string
  /** Rises within a thread and namespace; given by the store; never used twice. */
  readonly seq: number
  /** Unique within the thread and namespace; time-ordered unless the caller gave one. */
  readonly id: string
  /** The id of the checkpoint this one continues; absent for a first one. */
  readonly parentId?: string
  /** When it was saved, by the clock of who saved it. */
  readonly createdAt: Date
}

/** The outcome of one task inside a step that has not become a checkpoint yet. */
export interface PendingWrite {
  /** The task that yielded it. */
  readonly taskId: string
  /** Position within the task; negative ones are special and overwrite. */
  readonly index: number
  /** What it is for, in the caller's words. */
  readonly channel: string
  /** What was yielded. */
  readonly value: unknown
}

/** A checkpoint with its state. */
export interface Snapshot<State = unknown> extends CheckpointInfo {
  /** A value of its own: it may be changed. */
  readonly state: State
}

/** An immutable snapshot of a thread, with all that is known of it. */
export interface Checkpoint<State = unknown> extends Snapshot<State> {
  /**
   * What tasks have yielded since, of the step that comes next. Those of a `channel` that begins with `forkpoint:` are
   * the library's own: what a run has done since, and how it ended. All of them or none: where one is damaged, `load` is
   * refused with `CORRUPT`, since whoever goes on by the others would do again what it stands for.
   */
  readonly pendingWrites: readonly PendingWrite[]
}

/** Where a fork came from. */
export interface Origin {
  /** The thread that was forked. */
  readonly thread: string
  /** The namespace within it. */
  readonly namespace: string
  /** The seq of the checkpoint that the fork begins at. */
  readonly seq: number
  /** The id of that checkpoint. */
  readonly id: string
}

/** One thread in the list of threads. */
export interface ThreadSummary {
  /** What `checkpointer.thread` is given to reach it. */
  readonly id: string
  /** When it was first saved to, or forked. */
  readonly createdAt: Date
  /** When it was last changed. */
  readonly updatedAt: Date
  /** Given when it was forked. */
  readonly label?: string
  /** Where it came from, when it is a fork. */
  readonly forkOf?: Origin
  /** The latest checkpoint of the thread's root namespace; absent when only other namespaces have any. */
  readonly head?: CheckpointInfo
  /**
   * Where others have gone on with it, on devices of their own, as `sync` has found: each the head of a branch that `head`
   * does not follow. Choose one, or `head` itself, with `thread.chooseHead`.
   */
  readonly otherHeads?: readonly { readonly seq: number; readonly id: string }[]
}

/** What `subscribe` tells, from any tab. */
export type CheckpointerEvent =
  | {
      readonly type: 'saved'
      readonly thread: string
      readonly namespace: string
      readonly seq: number
      readonly id: string
    }
  | {
      readonly type: 'forked'
      readonly thread: string
      readonly namespace: string
      readonly from: string
      readonly seq: number
    }
  | {
      readonly type: 'pruned'
      readonly thread: string
      readonly namespace: string
      readonly seqs: readonly number[]
    }
  | { readonly type: 'deleted'; readonly thread: string }
  /** Everything under this name is gone, by the hand of a tab. */
  | { readonly type: 'destroyed' }
  /** A run has begun, was resumed, waits, or has ended. */
  | {
      readonly type: 'run'
      readonly thread: string
      readonly namespace: string
      readonly runId: string
      readonly status: 'running' | 'waiting' | 'finished' | 'failed' | 'stopped'
    }
  | {
      readonly type: 'writes'
      readonly thread: string
      readonly namespace: string
      readonly seq: number
      readonly taskId: string
    }

/**
 * What is wrong:
 * - `damaged`: a row is not what was written; `newer`: it was written by a newer version of this package
 * - `missing`: a row that must be there is not
 * - `unreadable`: a state cannot be read, as something it is built on is damaged or missing
 * - `head`, `thread`: what a thread's row says is not what is there
 * - `orphaned`: a row belongs to nothing
 * - `index`: a row is not found by its id, or not listed where it belongs
 * - `loss`: what an opening has missed (`DATA_LOSS`); a repair acknowledges it
 * - `unknown`: a row of a kind that this version does not know, and leaves alone
 */
export type ProblemKind =
  | 'damaged'
  | 'newer'
  | 'missing'
  | 'unreadable'
  | 'head'
  | 'thread'
  | 'orphaned'
  | 'index'
  | 'loss'
  | 'unknown'

/** One thing that `verify` found, with its place as far as that is known. */
export interface Problem {
  /** What is wrong: see `ProblemKind`. */
  readonly kind: ProblemKind
  /** Where the row stands. */
  readonly table: 'threads' | 'checkpoints' | 'parts' | 'writes' | 'meta'
  /** The thread, where that is known. */
  readonly thread?: string
  /** Its namespace. */
  readonly namespace?: string
  /** The checkpoint, by its seq. */
  readonly seq?: number
  /** For people. */
  readonly problem: string
}

/**
 * One thing that a repair did, or would do:
 * - `quarantined`: a row was set aside, as it is
 * - `rebuilt`: a row was made again from others
 * - `rescued`: checkpoints without a thread were given one
 * - `accepted`: what is missing is no longer looked for
 * - `deleted`: a row that was provably left over
 * - `left`: nothing could be done
 */
export interface Act extends Omit<Problem, 'kind' | 'problem'> {
  /** What was done: see above. */
  readonly act: 'quarantined' | 'rebuilt' | 'rescued' | 'accepted' | 'deleted' | 'left'
  /** For people. */
  readonly what: string
}
