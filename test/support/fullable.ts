import { CheckpointerError, type Storage } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'

export interface Fullable {
  readonly storage: Storage
  /** Refuses so many commits, or all, after so many more, or from now on. */
  fill(which?: { readonly times?: number; readonly after?: number }): void
  empty(): void
}

/** A storage whose disk is full at times: it refuses commits then, and nothing else. */
export function fullable(): Fullable {
  const inner = memoryStorage()
  let [passed, refused] = [0, 0]
  const storage: Storage = {
    limits: inner.limits,
    read: inner.read.bind(inner),
    locate: inner.locate.bind(inner),
    list: inner.list.bind(inner),
    partitions: inner.partitions.bind(inner),
    // It outlives those who use it, as a disk does.
    close: async () => {},
    destroy: inner.destroy.bind(inner),
    commit: async (...args: Parameters<Storage['commit']>) => {
      if (passed > 0) passed--
      else if (refused > 0) {
        refused--
        throw new CheckpointerError('QUOTA', 'No room.', { outcome: 'none' })
      }
      return inner.commit(...args)
    },
  }
  return {
    storage,
    fill: ({ times = Number.POSITIVE_INFINITY, after = 0 } = {}) => {
      passed = after
      refused = times
    },
    empty: () => {
      refused = 0
    },
  }
}
