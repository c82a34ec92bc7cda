import { CheckpointerError } from '../../../src/errors.ts'
import type { Storage } from '../../../src/storage/storage.ts'

/** How an operation of a storage goes wrong. */
export const FAULTS = [
  'fails',
  'has no room',
  'is done, but says it failed',
  'dies before',
  'dies after',
] as const
export type Fault = (typeof FAULTS)[number]

export interface FaultyStorage {
  readonly storage: Storage
  /** How many operations were asked for. */
  readonly count: () => number
}

/** The same storage, in which the operation of this number (from 1) goes wrong; after a death, all that follow. */
export function faultyStorage(storage: Storage, fault: Fault, at: number): FaultyStorage {
  let count = 0
  let dead = false
  const failed = (outcome: 'none' | 'unknown', code: 'FAILED' | 'QUOTA' = 'FAILED'): CheckpointerError =>
    new CheckpointerError(code, `Operation ${at} ${fault}.`, { outcome })
  const through = async <T>(work: () => Promise<T>): Promise<T> => {
    if (dead) throw failed('unknown')
    if (++count !== at) return work()
    if (fault === 'fails') throw failed('none')
    if (fault === 'has no room') throw failed('none', 'QUOTA')
    dead = fault.startsWith('dies')
    if (fault !== 'dies before') await work()
    throw failed('unknown')
  }
  return {
    count: () => count,
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
