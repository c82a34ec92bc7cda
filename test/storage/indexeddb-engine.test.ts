import 'fake-indexeddb/auto'
import { forceCloseDatabase } from 'fake-indexeddb'
import { indexedDbEngineLaws } from '../support/indexeddb-engine-laws.ts'

// Its types ask for the class where they mean an instance.
indexedDbEngineLaws((db) => forceCloseDatabase(db as never))
