import { jsonBytes } from '../../agent-loop.ts'
import { asItComes } from '../answer.ts'
import { LISTED, type Contender, type Step } from '../contender.ts'
import { done, openDb, resultOf, upTo } from './idb.ts'

/**
 * Plain IndexedDB, written by hand for each measure as well as it can be: one put, get or range of just the bytes that
 * are needed for it. No program could be made of it, as what one call reads no other has written.
 */
export function floor(durability: 'strict' | 'relaxed'): Contender {
  let db: IDBDatabase
  /** The last seq of each thread: to look it up is not what is measured. */
  const last = new Map<string, number>()
  const writing = (stores: string | string[]): IDBTransaction =>
    db.transaction(stores, 'readwrite', { durability })
  const reading = (store: string): IDBObjectStore => db.transaction(store, 'readonly').objectStore(store)
  const put = (store: string, value: unknown, key: IDBValidKey): Promise<void> => {
    const tx = writing(store)
    tx.objectStore(store).put(value, key)
    return done(tx)
  }
  const newest = (thread: string, most: number): IDBKeyRange => {
    const end = last.get(thread) ?? 0
    return IDBKeyRange.bound([thread, end - most + 1], [thread, end])
  }
  const changed = ({ change, state }: Step): Uint8Array => jsonBytes({ ...change, step: state.step })
  return {
    async open() {
      db = await openDb('floor', (made) => {
        for (const store of ['steps', 'batches', 'latest', 'threads']) made.createObjectStore(store)
      })
    },
    save: (step) => put('steps', changed(step), [step.thread, step.seq]),
    async seed(steps) {
      const tx = writing('steps')
      for (const step of steps) tx.objectStore('steps').put(changed(step), [step.thread, step.seq])
      await done(tx)
    },
    /** Batches of tokens; with the message behind them, which tells that it is whole, they are as safe as a save. */
    async stream(answer) {
      let gathered: string[] = []
      let batch = 0
      const gathering = async function* (): AsyncGenerator<string> {
        for await (const token of answer.tokens()) {
          gathered.push(token)
          yield token
        }
      }
      const putBatch = (tx: IDBTransaction): void => {
        tx.objectStore('batches').put(jsonBytes(gathered), [answer.thread, answer.seq, batch++])
        gathered = []
      }
      await asItComes(gathering(), () => {
        const tx = db.transaction('batches', 'readwrite', { durability: 'relaxed' })
        putBatch(tx)
        return done(tx)
      })
      const tx = writing(['batches', 'steps'])
      putBatch(tx)
      tx.objectStore('steps').put(changed(answer.step()), [answer.thread, answer.seq])
      await done(tx)
    },
    load: (thread) => resultOf(reading('latest').get(thread)),
    list: async () => (await resultOf(reading('threads').getAll(undefined, LISTED))).length,
    page: async (thread, most) => (await resultOf(reading('steps').getAll(newest(thread, most)))).length,
    fork: (thread, at, as) => put('threads', { id: as, from: thread, at }, as),
    async prune(thread, keep) {
      const tx = writing('steps')
      tx.objectStore('steps').delete(upTo(thread, (last.get(thread) ?? 0) - keep))
      await done(tx)
    },
    close: async () => db.close(),
    /** What it takes for the other measures; of no one's time. */
    async finish({ thread, seq, state }) {
      last.set(thread, seq)
      await put('latest', state, thread)
      await put('threads', { id: thread, seq, updated: seq }, thread)
    },
  }
}
