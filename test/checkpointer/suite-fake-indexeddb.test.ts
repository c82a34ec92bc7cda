import 'fake-indexeddb/auto'
import { openCheckpointer, type CheckpointerError } from 'forkpoint'
import { indexedDbStorage } from 'forkpoint/storage/indexeddb'
import { checkpointerSuite } from 'forkpoint/testing'

/** A seq may turn out to be another writer's: that is told, and several laws bring it about. */
const onlyShifts = (warning: CheckpointerError): void => {
  if (warning.code !== 'CONFLICT') throw warning
}

let count = 0
// Written behind it is tested on the real ones.
checkpointerSuite('fake-indexeddb', async () => {
  const name = `suite-${++count}`
  const options = { name, worker: false, onWarning: onlyShifts } as const
  return {
    open: (more = {}) => openCheckpointer({ ...options, ...more }),
    storage: async () => indexedDbStorage({ name }),
  }
})
