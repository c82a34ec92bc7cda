import { CheckpointerError } from '../../errors.ts'
import {
  checkFunction,
  checkOptions,
  checkSignal,
  invalid,
  threadIdsOf,
  type Names,
} from '../options/options.ts'

/** What is brought together, and which way. */
export interface SyncOptions {
  /** Only these. All threads of either store when absent. */
  readonly threads?: string | readonly string[] | undefined
  /** `push`: only what this store has goes to the other; `pull`: only what that one has comes here. Both when absent. */
  readonly direction?: 'both' | 'push' | 'pull' | undefined
  /** Stops it: what was brought over stays, and the next call goes on from there. */
  readonly signal?: AbortSignal | undefined
  /** Told, again and again, how far it has come. */
  readonly onProgress?: ((progress: SyncProgress) => void) | undefined
}

/** How far it has come. */
export interface SyncProgress {
  /** Threads that are done. */
  readonly threads: number
  /** Threads there are to do. */
  readonly of: number
  /** Checkpoints sent so far. */
  readonly sent: number
  /** Checkpoints received so far. */
  readonly received: number
}

/** What one store has come to hold or to lose by the other. */
export interface Carried {
  /** How many came to it. */
  readonly checkpoints: number
  /** How many it has lost, as they were removed from the other. */
  readonly removed: number
}

/** What a sync has come to. */
export interface Synced {
  /** How many threads were compared; those of which both know that nothing has changed are not. */
  readonly threads: number
  /** What has gone to the other store. */
  readonly sent: Carried
  /** What has come from the other store. */
  readonly received: Carried
  /** Threads that have several heads here now: `thread.heads()` lists them, `thread.chooseHead()` settles it. */
  readonly diverged: readonly string[]
  /** Checkpoints that could not be brought together: either store has another one under this id of the caller's. */
  readonly conflicts: readonly SyncConflict[]
  /** How many checkpoints could not be read where they are, and were left out. */
  readonly damaged: number
  /** Threads of which one of the stores lets this caller know nothing. Of those that were asked for by name, the sync is refused. */
  readonly refused: readonly string[]
}

/** Two checkpoints that are not the same, and have one id. */
export interface SyncConflict {
  /** The thread's id. */
  readonly thread: string
  /** The namespace within the thread; `''` is the root. */
  readonly namespace: string
  /** The id that both have. */
  readonly id: string
}

const SYNC: Names<SyncOptions> = { threads: true, direction: true, signal: true, onProgress: true }

export interface SyncAsked {
  readonly threads: readonly string[] | undefined
  readonly pushes: boolean
  readonly pulls: boolean
  readonly signal: AbortSignal | undefined
  readonly onProgress: SyncOptions['onProgress']
}

export function syncAsked(options: SyncOptions): SyncAsked {
  const { threads, direction = 'both', signal, onProgress } = checkOptions('sync', options, SYNC)
  if (direction !== 'both' && direction !== 'push' && direction !== 'pull')
    throw invalid('direction', "'both', 'push' or 'pull'")
  checkSignal(signal)
  checkFunction('onProgress', onProgress)
  return {
    threads: threads === undefined ? undefined : threadIdsOf('threads', threads),
    pushes: direction !== 'pull',
    pulls: direction !== 'push',
    signal,
    onProgress,
  }
}

export const itself = (): CheckpointerError =>
  new CheckpointerError('INVALID', 'Both sides of a sync are one and the same store.', { path: 'remote' })
