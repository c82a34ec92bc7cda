import 'fake-indexeddb/auto'
import { openCheckpointer } from 'forkpoint'
import { memoryStorage, type MemoryStorageOptions } from 'forkpoint/storage/memory'
import { checkpointerSuite, type Ground } from 'forkpoint/testing'

/** Over memory each opening gets the same storage, so closing one must not end it for the others. */
function inMemory(options?: MemoryStorageOptions): () => Promise<Ground> {
  return async () => {
    const storage = Object.assign(memoryStorage(options), { close: async () => {} })
    return { open: (more = {}) => openCheckpointer({ name: 'memory', storage, ...more }) }
  }
}

checkpointerSuite('memory', inMemory())
checkpointerSuite(
  'memory with small limits',
  inMemory({ limits: { valueBytes: 60_000, commitBytes: 800_000, operations: 200 } }),
)

let count = 0
checkpointerSuite('fake-indexeddb', async () => {
  const name = `suite-${++count}`
  return { open: (more = {}) => openCheckpointer({ name, worker: false, ...more }) }
})
