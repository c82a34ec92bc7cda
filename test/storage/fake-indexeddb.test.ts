import 'fake-indexeddb/auto'
import { indexedDbLaws } from '../support/indexeddb-laws.ts'

indexedDbLaws()
