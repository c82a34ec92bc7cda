import 'fake-indexeddb/auto'
import { openCheckpointer, type Checkpointer, type CheckpointerError, type OpenOptions } from 'forkpoint'
import { forkpointStorage, type ForkpointStorage, type StorageOptions } from 'forkpoint/store'
import { onTestFinished } from 'vitest'

interface Ground {
  readonly checkpointer: Checkpointer
  readonly storage: ForkpointStorage
  readonly errors: CheckpointerError[]
  readonly warnings: CheckpointerError[]
}

/** What tests of one database share: each call is a tab of its own. */
export function tabs(shared: Partial<OpenOptions> = {}) {
  const stored: OpenOptions = { worker: false, name: `store-${Math.random()}`, ...shared }
  return async (options: StorageOptions = {}): Promise<Ground> => {
    const checkpointer = await openCheckpointer(stored)
    const errors: CheckpointerError[] = []
    const warnings: CheckpointerError[] = []
    const storage = forkpointStorage(checkpointer, {
      every: 10,
      onError: (error) => void errors.push(error),
      onWarning: (warning) => void warnings.push(warning),
      ...options,
    })
    onTestFinished(async () => {
      await storage.close().catch(() => {})
      await checkpointer.close().catch(() => {})
    })
    return { checkpointer, storage, errors, warnings }
  }
}

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}
