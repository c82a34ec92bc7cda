import type { SyncAsked, SyncConflict, Synced } from './options.ts'

/** Counts what is done, tells it, and stops where it was asked to. */
export class Tally {
  of = 0
  threads = 0
  damaged = 0
  readonly sent = { checkpoints: 0, removed: 0 }
  readonly received = { checkpoints: 0, removed: 0 }
  readonly diverged = new Set<string>()
  readonly refused: string[] = []
  readonly #conflicts = new Map<string, SyncConflict>()
  readonly #asked: SyncAsked
  #done = 0

  constructor(asked: SyncAsked) {
    this.#asked = asked
  }

  leftOut(): void {
    this.damaged++
  }

  /** Both sides see it, and it is one. */
  conflict(conflict: SyncConflict): void {
    this.#conflicts.set(JSON.stringify([conflict.thread, conflict.namespace, conflict.id]), conflict)
  }

  /** Between two messages. */
  rest(): void {
    this.#asked.signal?.throwIfAborted()
  }

  tell(): void {
    this.#asked.onProgress?.({
      threads: this.#done,
      of: this.of,
      sent: this.sent.checkpoints,
      received: this.received.checkpoints,
    })
  }

  done(): void {
    this.#done++
    this.tell()
  }

  result(): Synced {
    const { threads, sent, received, diverged, damaged, refused } = this
    const conflicts = [...this.#conflicts.values()]
    return { threads, sent, received, diverged: [...diverged], conflicts, damaged, refused }
  }
}

/** What is counted of one thread. */
export class ThreadTally {
  readonly all: Tally
  /** Something could not be brought over. */
  isLoose = false
  /** One of the two was changed. */
  isChanged = false

  constructor(all: Tally) {
    this.all = all
  }

  leftOut(): void {
    this.isLoose = true
    this.all.leftOut()
  }

  conflict(conflict: SyncConflict): void {
    this.isLoose = true
    this.all.conflict(conflict)
  }
}
