import { openCheckpointer, type CheckpointerError } from 'forkpoint'
import { indexedDbStorage } from 'forkpoint/storage/indexeddb'
import { checkpointerSuite } from 'forkpoint/testing'

const run = Math.random().toString(36).slice(2)
let count = 0

/** Two that write behind on one thread may each have told a seq that is the other's: that alone may be warned of. */
const onWarning = (warning: CheckpointerError): void => {
  if (warning.code !== 'CONFLICT') throw warning
}

checkpointerSuite('IndexedDB behind the worker, written behind', async () => {
  const name = `behind-${run}-${++count}`
  const open = (more = {}) => openCheckpointer({ name, durability: 'async', onWarning, ...more })
  return {
    open,
    storage: async () => indexedDbStorage({ name }),
    clear: async () => (await open()).destroy(),
    isWrittenBehind: true,
  }
})
