import 'fake-indexeddb/auto'
import { openCheckpointer } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { langGraphSuite } from '../../support/langgraph-laws.ts'

let count = 0

langGraphSuite('memory', () => openCheckpointer({ name: 'memory', storage: memoryStorage() }))
langGraphSuite('fake-indexeddb', () => openCheckpointer({ name: `langgraph-${++count}`, worker: false }))
