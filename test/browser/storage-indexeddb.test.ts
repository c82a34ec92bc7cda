import { indexedDbLaws } from '../support/indexeddb-laws.ts'

indexedDbLaws()
