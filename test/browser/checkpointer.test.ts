import { checkpointerSuite } from 'forkpoint/testing'
import { neverWarn, onIndexedDb } from '../support/on-indexeddb.ts'

checkpointerSuite('IndexedDB behind the worker', onIndexedDb({ worker: 'auto', ...neverWarn }))
