import { indexedDbEngineLaws } from '../support/indexeddb-engine-laws.ts'

// No page can bring its browser to do it: the event is what is heard of it.
indexedDbEngineLaws((db) => {
  db.close()
  db.dispatchEvent(new Event('close'))
})
