import { createRxDatabase, type RxCollection, type RxDatabase, type RxJsonSchema } from 'rxdb/plugins/core'
import { getRxStorageDexie } from 'rxdb/plugins/storage-dexie'
import type { AgentState } from '../agent-loop.ts'
import { LISTED, type Contender, type Step } from '../page/contender.ts'

/** What there is, without its state: lists then read no states. */
interface Checkpoint {
  id: string
  thread: string
  seq: number
  at: number
}
interface State {
  id: string
  state: AgentState
}
interface Listed {
  id: string
  seq: number
  updated: number
}

const number = { type: 'number', minimum: 0, maximum: 1e15, multipleOf: 1 } as const
const id = { type: 'string', maxLength: 60 } as const

const checkpointSchema: RxJsonSchema<Checkpoint> = {
  version: 0,
  primaryKey: { key: 'id', fields: ['thread', 'seq'], separator: '|' },
  type: 'object',
  properties: { id, thread: id, seq: number, at: number },
  required: ['id', 'thread', 'seq', 'at'],
  indexes: [['thread', 'seq']],
}
const stateSchema: RxJsonSchema<State> = {
  version: 0,
  primaryKey: 'id',
  type: 'object',
  properties: { id, state: { type: 'object' } },
  required: ['id', 'state'],
}
const threadSchema: RxJsonSchema<Listed> = {
  version: 0,
  primaryKey: 'id',
  type: 'object',
  properties: { id, seq: number, updated: number },
  required: ['id', 'seq', 'updated'],
  indexes: ['updated'],
}

interface Collections {
  checkpoints: RxCollection<Checkpoint>
  snapshots: RxCollection<State>
  threads: RxCollection<Listed>
}

const idOf = (thread: string, seq: number): string => `${thread}|${seq}`

/** Three collections on the free storage for browsers, as the quickstart has it; what is not found by stands apart. */
export function make(): Contender {
  let db: RxDatabase<Collections>
  const latest = (thread: string, at = 1e15) =>
    db.checkpoints.findOne({
      selector: { thread, seq: { $lte: at } },
      sort: [{ thread: 'desc' }, { seq: 'desc' }],
    })
  const stateOf = async (thread: string, at?: number) => {
    const found = await latest(thread, at).exec()
    const state = found && (await db.snapshots.findOne(found.id).exec())
    return found && state ? { seq: found.seq, state: state.toJSON().state as AgentState } : undefined
  }
  const put = async ({ thread, seq, state }: Omit<Step, 'change'>): Promise<void> => {
    const at = Date.now()
    // The state first: what is listed is there.
    await db.snapshots.insert({ id: idOf(thread, seq), state })
    await Promise.all([
      db.checkpoints.insert({ id: idOf(thread, seq), thread, seq, at }),
      db.threads.upsert({ id: thread, seq, updated: at }),
    ])
  }
  return {
    async open() {
      db = await createRxDatabase({ name: 'bench', storage: getRxStorageDexie() })
      await db.addCollections({
        checkpoints: { schema: checkpointSchema },
        snapshots: { schema: stateSchema },
        threads: { schema: threadSchema },
      })
    },
    save: put,
    resave: ({ thread, seq, state }) => db.snapshots.upsert({ id: idOf(thread, seq), state }),
    async seed(steps) {
      const at = Date.now()
      const last = new Map(steps.map(({ thread, seq }) => [thread, { id: thread, seq, updated: at }]))
      await db.snapshots.bulkInsert(steps.map(({ thread, seq, state }) => ({ id: idOf(thread, seq), state })))
      await db.checkpoints.bulkInsert(
        steps.map(({ thread, seq }) => ({ id: idOf(thread, seq), thread, seq, at })),
      )
      await db.threads.bulkUpsert([...last.values()])
    },
    load: async (thread) => (await stateOf(thread))?.state,
    list: async () => (await db.threads.find({ sort: [{ updated: 'desc' }], limit: LISTED }).exec()).length,
    async page(thread, most) {
      const query = {
        selector: { thread },
        sort: [{ thread: 'desc' }, { seq: 'desc' }],
        limit: most,
      } as const
      return (await db.checkpoints.find({ ...query, sort: [...query.sort] }).exec()).length
    },
    async fork(thread, at, as) {
      const origin = await stateOf(thread, at)
      if (!origin) throw new Error(`${thread} has no checkpoint`)
      await put({ thread: as, ...origin })
    },
    async prune(thread, keep) {
      const last = (await latest(thread).exec())?.seq ?? 0
      const gone = await db.checkpoints.find({ selector: { thread, seq: { $lte: last - keep } } }).exec()
      const ids = gone.map(({ id }) => id)
      await db.checkpoints.bulkRemove(ids)
      await db.snapshots.bulkRemove(ids)
    },
    close: () => db.close(),
  }
}
