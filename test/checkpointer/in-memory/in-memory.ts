import { openCheckpointer, type CheckpointerError, type OpenOptions } from 'forkpoint'
import { memoryStorage, type MemoryStorageOptions } from 'forkpoint/storage/memory'
import type { Ground } from 'forkpoint/testing'

/** Written behind, a seq may turn out to be another writer's: that is told, and several laws bring it about. */
const onlyShifts = (warning: CheckpointerError): void => {
  if (warning.code !== 'CONFLICT') throw warning
}

/** Over memory each opening gets the same storage, so closing one must not end it for the others. */
export function inMemory(
  options?: MemoryStorageOptions,
  durability?: OpenOptions['durability'],
): () => Promise<Ground> {
  return async () => {
    const storage = Object.assign(memoryStorage(options), { close: async () => {} })
    const given = { name: 'memory', storage, durability, onWarning: onlyShifts }
    return {
      open: (more = {}) => openCheckpointer({ ...given, ...more }),
      storage: async () => storage,
      isWrittenBehind: durability === 'async',
    }
  }
}

export const SMALL = { limits: { valueBytes: 60_000, commitBytes: 800_000, operations: 200 } }
