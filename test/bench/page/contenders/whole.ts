import type { AgentState } from '../../agent-loop.ts'
import { LISTED, type Contender, type Step } from '../contender.ts'
import { done, openDb, resultOf, upTo } from './idb.ts'

interface Saved {
  readonly thread: string
  readonly seq: number
  readonly at: number
  readonly state: AgentState
}

/** Plain IndexedDB with a row for each checkpoint that holds the whole state, and a row for each thread. */
export function whole(): Contender {
  let db: IDBDatabase
  const writing = (): IDBTransaction =>
    db.transaction(['checkpoints', 'threads'], 'readwrite', { durability: 'strict' })
  const put = (tx: IDBTransaction, { thread, seq, state }: Omit<Step, 'change'>): void => {
    tx.objectStore('checkpoints').put({ thread, seq, at: Date.now(), state } satisfies Saved)
    tx.objectStore('threads').put({ id: thread, seq, updated: Date.now() })
  }
  const latest = async (thread: string, at = Number.MAX_SAFE_INTEGER): Promise<Saved | undefined> => {
    const store = db.transaction('checkpoints', 'readonly').objectStore('checkpoints')
    const cursor = await resultOf(store.openCursor(upTo(thread, at), 'prev'))
    return cursor?.value as Saved | undefined
  }
  return {
    async open() {
      db = await openDb('whole', (made) => {
        const checkpoints = made.createObjectStore('checkpoints', { keyPath: ['thread', 'seq'] })
        checkpoints.createIndex('summary', ['thread', 'seq', 'at'])
        made.createObjectStore('threads', { keyPath: 'id' }).createIndex('updated', 'updated')
      })
    },
    save(step) {
      const tx = writing()
      put(tx, step)
      return done(tx)
    },
    async seed(steps) {
      const tx = writing()
      for (const step of steps) put(tx, step)
      await done(tx)
    },
    load: async (thread) => (await latest(thread))?.state,
    list: () => listed(db.transaction('threads', 'readonly').objectStore('threads').index('updated')),
    async page(thread, most) {
      const index = db.transaction('checkpoints', 'readonly').objectStore('checkpoints').index('summary')
      let found = 0
      const range = IDBKeyRange.bound([thread], [thread, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER])
      let cursor = await resultOf(index.openKeyCursor(range, 'prev'))
      for (; cursor && found < most; found++) {
        const request = cursor.request
        cursor.continue()
        cursor = (await resultOf(request)) as IDBCursor | null
      }
      return found
    },
    async fork(thread, at, as) {
      const origin = await latest(thread, at)
      if (!origin) throw new Error(`${thread} has no checkpoint`)
      const tx = writing()
      put(tx, { thread: as, seq: origin.seq, state: origin.state })
      await done(tx)
    },
    async prune(thread, keep) {
      const tx = writing()
      const last = (await resultOf(tx.objectStore('threads').get(thread))) as { seq: number }
      tx.objectStore('checkpoints').delete(upTo(thread, last.seq - keep))
      await done(tx)
    },
    close: async () => db.close(),
  }
}

/** The latest first: newer engines read backwards in one request. */
async function listed(index: IDBIndex): Promise<number> {
  if ('getAllRecords' in index) {
    const latest = { direction: 'prev', count: LISTED } as unknown as IDBKeyRange
    return (await resultOf(index.getAll(latest))).length
  }
  let found = 0
  let cursor = await resultOf(index.openCursor(null, 'prev'))
  for (; cursor && found < LISTED; found++) {
    const request = cursor.request
    cursor.continue()
    cursor = (await resultOf(request)) as IDBCursorWithValue | null
  }
  return found
}
