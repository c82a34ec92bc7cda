import { checkpointerSuite } from 'forkpoint/testing'
import { neverWarn, onIndexedDb } from '../support/on-indexeddb.ts'

checkpointerSuite('IndexedDB in this thread', onIndexedDb({ worker: false, ...neverWarn }))
