import type { Host } from './host.ts'

/**
 * All verbs by name: what can be called over the wire, and nothing else. Of one that only reads nothing can be half
 * done: when its answer was lost, that is all that was.
 */
const KINDS: Record<keyof Host, 'reads' | 'acts'> = {
  save: 'acts',
  saveMany: 'acts',
  head: 'reads',
  load: 'reads',
  history: 'reads',
  fork: 'acts',
  copy: 'acts',
  prune: 'acts',
  deleteThread: 'acts',
  deleteCheckpoints: 'acts',
  deleteRun: 'acts',
  putWrites: 'acts',
  readWrites: 'reads',
  dropWrites: 'acts',
  takeLease: 'acts',
  keepLease: 'acts',
  dropLease: 'acts',
  leaseSign: 'reads',
  threads: 'reads',
  namespaces: 'reads',
  runs: 'reads',
  usage: 'reads',
  verify: 'reads',
  repair: 'acts',
  owe: 'acts',
  flush: 'acts',
  settle: 'acts',
  // An export that is cut off has changed nothing.
  exportPage: 'reads',
  importPage: 'acts',
  endCarry: 'acts',
  heads: 'reads',
  chooseHead: 'acts',
  syncList: 'reads',
  // What it writes down is the same each time.
  syncAsk: 'reads',
  syncHave: 'reads',
  syncWant: 'reads',
  syncGive: 'reads',
  syncTake: 'acts',
  syncGone: 'reads',
  syncForget: 'acts',
  syncRecall: 'reads',
  syncNote: 'acts',
  rest: 'acts',
  reconcile: 'reads',
  recordLoss: 'acts',
  destroy: 'acts',
  close: 'acts',
}

export type Verb = keyof Host
export const VERBS = Object.keys(KINDS) as readonly Verb[]
export const onlyReads = (verb: Verb): boolean => KINDS[verb] === 'reads'

/**
 * May simply be asked for again when no answer has come. The pages of an export are counted: another one would come.
 * A lease that was taken is known by its key.
 */
export const isAskedAgain = (verb: Verb): boolean =>
  verb === 'takeLease' || (onlyReads(verb) && verb !== 'exportPage')

/** Any verb, of which only the name is known. */
export type Call = (request: unknown) => Promise<unknown>

export const callOf = (host: Host, verb: Verb): Call => host[verb].bind(host) as Call

/** A host of which each verb is made from its name. */
export const makeHost = (make: (verb: Verb) => Call): Host =>
  Object.fromEntries(VERBS.map((verb) => [verb, make(verb)])) as unknown as Host

/** The same host, with something around each of its verbs. */
export const mapHost = (host: Host, wrap: (run: Call, verb: Verb) => Call): Host =>
  makeHost((verb) => wrap(callOf(host, verb), verb))
