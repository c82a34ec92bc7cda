import { openCheckpointer, type OpenOptions } from 'forkpoint'
import { indexedDbStorage } from 'forkpoint/storage/indexeddb'
import { checkpointerSuite } from 'forkpoint/testing'

const run = Math.random().toString(36).slice(2)
let count = 0

function onIndexedDb(options: Partial<OpenOptions>) {
  return async () => {
    const name = `suite-${run}-${++count}`
    const open = (more = {}) => openCheckpointer({ name, ...options, ...more })
    return {
      open,
      storage: async () => indexedDbStorage({ name }),
      clear: async () => (await open()).destroy(),
    }
  }
}

const neverWarn = {
  onWarning: (warning: Error) => {
    throw warning
  },
}

checkpointerSuite('IndexedDB in this thread', onIndexedDb({ worker: false, ...neverWarn }))
checkpointerSuite('IndexedDB behind the worker', onIndexedDb({ worker: 'auto', ...neverWarn }))
