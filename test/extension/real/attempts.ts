import type { Verb } from '../../../src/operations/verbs.ts'

const THREAD = 'secret'
const PLACE = { thread: THREAD, namespace: '' }
const ID = { id: 'carry', page: 0 }
const HELD = { thread: THREAD, lease: 'lease' }
const TIME = 1_700_000_000_000
const SAVE = {
  ...PLACE,
  key: 'key',
  createdAt: TIME,
  fields: {},
  frame: { body: new TextEncoder().encode('{"stolen":true}') },
}

/** Of every verb a request that would be obeyed if it came from one who may. */
export const ATTEMPTS: { readonly [V in Verb]: unknown } = {
  save: SAVE,
  saveMany: { ...PLACE, saves: [SAVE] },
  head: PLACE,
  load: PLACE,
  history: { ...PLACE, limit: 10, order: 'newest', states: true },
  fork: { ...PLACE, as: 'stolen', createdAt: TIME, key: 'key' },
  copy: { thread: THREAD, as: 'stolen', createdAt: TIME, key: 'key' },
  prune: { ...PLACE, keepLast: 0, keepLabelled: false, ancestors: 'drop', dryRun: false },
  deleteThread: { thread: THREAD },
  deleteCheckpoints: { ...PLACE, ids: [1] },
  deleteRun: { thread: THREAD, runId: 'run' },
  putWrites: {
    ...PLACE,
    checkpoint: 1,
    writes: [{ taskId: 'task', index: 0, channel: 'c', body: new Uint8Array([49]) }],
  },
  readWrites: { ...PLACE, checkpoint: 1 },
  dropWrites: { ...PLACE, checkpoint: 1, tasks: ['task'], from: 0 },
  takeLease: { thread: THREAD, key: 'key', always: true },
  keepLease: { ...HELD, every: 1_000, times: 1 },
  dropLease: HELD,
  leaseSign: { thread: THREAD },
  threads: { limit: 10 },
  namespaces: { thread: THREAD },
  runs: { limit: 10 },
  usage: {},
  verify: {},
  repair: { ...ID, isPlan: false },
  exportPage: { ...ID, onDamage: 'refuse' },
  importPage: {
    ...ID,
    bytes: new Uint8Array([1]),
    isLast: true,
    onConflict: 'rename',
    bounds: { bytes: 1_000, ratio: 10, lines: 10 },
  },
  heads: PLACE,
  chooseHead: { ...PLACE, to: 1 },
  syncList: { limit: 10 },
  syncAsk: { thread: THREAD },
  syncHave: { ...PLACE, after: 0, before: 10, limit: 10 },
  syncWant: { ...PLACE, names: [{ id: 'key' }] },
  syncGive: { ...PLACE, seqs: [1], states: 'whole' },
  syncTake: {
    ...PLACE,
    about: { createdAt: TIME },
    rows: [{ info: { seq: 1, id: 'key', createdAt: TIME }, body: SAVE.frame.body, writes: [] }],
    heads: [{ seq: 1, id: 'key' }],
    past: [],
    isLast: true,
  },
  syncGone: { thread: THREAD, names: ['name'] },
  syncForget: {
    thread: THREAD,
    gone: [{ name: 'name', saves: [{ namespace: '', id: 'key' }] }],
    deleted: true,
  },
  syncRecall: { of: [{ thread: THREAD, store: 'store' }] },
  syncNote: { thread: THREAD, store: 'store', note: { places: [] } },
  endCarry: { id: 'carry' },
  flush: undefined,
  rest: undefined,
  owe: undefined,
  settle: undefined,
  reconcile: undefined,
  recordLoss: undefined,
  destroy: undefined,
  close: undefined,
}
