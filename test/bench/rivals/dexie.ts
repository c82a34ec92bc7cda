import { Dexie, type EntityTable, type Table } from 'dexie'
import type { AgentState } from '../agent-loop.ts'
import { LISTED, type Contender, type Step } from '../page/contender.ts'

interface Checkpoint {
  readonly thread: string
  readonly seq: number
  readonly at: number
  readonly state: AgentState
}
interface Listed {
  readonly id: string
  readonly seq: number
  readonly updated: number
}
interface Db extends Dexie {
  readonly checkpoints: Table<Checkpoint, [string, number]>
  readonly threads: EntityTable<Listed, 'id'>
}

const END = Number.MAX_SAFE_INTEGER

/** Tables with compound indexes, a transaction for what belongs together, all defaults: `durability` is the browser's. */
export function make(): Contender {
  const db = new Dexie('bench') as Db
  db.version(1).stores({ checkpoints: '[thread+seq], [thread+seq+at]', threads: 'id, updated' })
  const put = (steps: readonly Omit<Step, 'change'>[]): Promise<void> =>
    db.transaction('rw', db.checkpoints, db.threads, async () => {
      const at = Date.now()
      await db.checkpoints.bulkPut(steps.map(({ thread, seq, state }) => ({ thread, seq, at, state })))
      await db.threads.bulkPut(steps.map(({ thread, seq }) => ({ id: thread, seq, updated: at })))
    })
  const upTo = (thread: string, last: number) =>
    db.checkpoints.where('[thread+seq]').between([thread, Dexie.minKey], [thread, last], true, true)
  return {
    open: () => db.open(),
    save: (step) => put([step]),
    seed: put,
    load: async (thread) => (await upTo(thread, END).last())?.state,
    list: async () => (await db.threads.orderBy('updated').reverse().limit(LISTED).toArray()).length,
    async page(thread, most) {
      const range = db.checkpoints.where('[thread+seq+at]').between([thread], [thread, END, END])
      return (await range.reverse().limit(most).keys()).length
    },
    async fork(thread, at, as) {
      const origin = await upTo(thread, at ?? END).last()
      if (!origin) throw new Error(`${thread} has no checkpoint`)
      await put([{ thread: as, seq: origin.seq, state: origin.state }])
    },
    async prune(thread, keep) {
      const last = (await db.threads.get(thread))?.seq ?? 0
      await upTo(thread, last - keep).delete()
    },
    close: async () => db.close(),
  }
}
