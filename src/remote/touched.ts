import type { Host } from '../operations/host.ts'
import type { Verb } from '../operations/verbs.ts'

/**
 * Which threads a call reads or changes: those that the request names; those that its answer lists, each to be asked
 * about then; the whole store; or nothing of it.
 */
export type Touched =
  | { readonly threads: readonly string[] }
  | { readonly kind: 'listed' | 'store' | 'nothing' }

type Requests = { readonly [V in Verb]: Parameters<Host[V]>[0] }

const one = ({ thread }: { readonly thread: string }): Touched => ({ threads: [thread] })
const both = ({ thread, as }: { readonly thread: string; readonly as: string }): Touched => ({
  threads: [thread, as],
})
const kind = (which: 'listed' | 'store' | 'nothing') => (): Touched => ({ kind: which })

const TOUCHED: { readonly [V in Verb]: (request: Requests[V]) => Touched } = {
  save: one,
  // Each save names its place itself.
  saveMany: ({ thread, saves }) => ({ threads: [...new Set([thread, ...saves.map((save) => save.thread)])] }),
  head: one,
  load: one,
  history: one,
  fork: both,
  copy: both,
  prune: one,
  deleteThread: one,
  deleteCheckpoints: one,
  deleteRun: one,
  putWrites: one,
  readWrites: one,
  dropWrites: one,
  takeLease: one,
  keepLease: one,
  dropLease: one,
  leaseSign: one,
  threads: kind('listed'),
  namespaces: one,
  runs: kind('listed'),
  usage: kind('store'),
  verify: kind('store'),
  repair: kind('store'),
  // The pages that follow belong to the first, which has named the threads.
  exportPage: ({ ids }) => (ids ? { threads: [...new Set(ids)] } : { kind: 'store' }),
  importPage: kind('store'),
  // An import or a repair, or one of which nothing is known here.
  endCarry: kind('store'),
  heads: one,
  chooseHead: one,
  syncList: kind('listed'),
  syncAsk: one,
  syncHave: one,
  syncWant: one,
  syncGive: one,
  syncTake: one,
  syncGone: one,
  syncForget: one,
  syncRecall: ({ of }) => ({ threads: [...new Set(of.map(({ thread }) => thread))] }),
  syncNote: one,
  flush: kind('nothing'),
  rest: kind('nothing'),
  owe: kind('nothing'),
  settle: kind('store'),
  reconcile: kind('store'),
  recordLoss: kind('store'),
  destroy: kind('store'),
  close: kind('nothing'),
}

/** Of a request whose shape was checked. One that could name threads and names none is as one of all: else nobody would be asked. */
export function touchedBy(verb: Verb, request: unknown): Touched {
  const touched = (TOUCHED[verb] as (request: unknown) => Touched)(request)
  return 'threads' in touched && touched.threads.length === 0 ? { kind: 'store' } : touched
}
