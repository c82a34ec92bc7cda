import { CheckpointerError } from '../../../src/errors.ts'
import type { Storage } from '../../../src/storage/storage.ts'

/** When a process ends, by the operations of its storage, from 1. */
export interface Death {
  readonly at: number
  /** `after`: the operation is done, and its answer never comes. */
  readonly when: 'before' | 'after'
  /** `failing`: the process lives on, and its storage does not. */
  readonly leaves: 'hanging' | 'failing'
}

export interface MortalStorage {
  readonly storage: Storage
  readonly death: Death | undefined
  readonly count: () => number
  /** Resolves at its death. */
  readonly died: Promise<void>
  readonly isDead: () => boolean
  readonly buried: Promise<void>
  /** Lets what hangs fail, so that nothing is left of the process. */
  bury(): void
}

export function mortalStorage(storage: Storage, death?: Death): MortalStorage {
  let count = 0
  let isDead = false
  let tell = (): void => {}
  const died = new Promise<void>((resolve) => (tell = resolve))
  let bury = (): void => {}
  const buried = new Promise<void>((resolve) => (bury = resolve))
  const gone = async (): Promise<never> => {
    if (death?.leaves === 'hanging') await buried
    throw new CheckpointerError('FAILED', 'The process has ended.', { outcome: 'unknown' })
  }
  const through = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isDead) return gone()
    if (++count !== death?.at) return work()
    if (death.when === 'after') await work()
    isDead = true
    tell()
    return gone()
  }
  return {
    death,
    buried,
    count: () => count,
    died,
    isDead: () => isDead,
    bury,
    storage: {
      limits: storage.limits,
      read: (partition, queries) => through(() => storage.read(partition, queries)),
      commit: (partition, batch) => through(() => storage.commit(partition, batch)),
      locate: (key) => through(() => storage.locate(key)),
      list: (query) => through(() => storage.list(query)),
      partitions: (query) => through(() => storage.partitions(query)),
      destroy: () => through(() => storage.destroy()),
      close: async () => {},
    },
  }
}
