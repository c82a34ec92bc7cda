import { openCheckpointer } from 'forkpoint'
import { storageLaw } from '../../support/langgraph-storage.ts'

const name = `storage-${Math.random().toString(36).slice(2)}`

storageLaw('IndexedDB behind the worker', () => openCheckpointer({ name, worker: 'auto' }))
