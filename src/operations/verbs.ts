import type { Host } from './host.ts'

/** All verbs by name: what can be called over the wire, and nothing else. */
export const VERBS = [
  'save',
  'saveMany',
  'head',
  'load',
  'history',
  'fork',
  'copy',
  'prune',
  'deleteThread',
  'deleteCheckpoints',
  'deleteRun',
  'putWrites',
  'takeLease',
  'keepLease',
  'dropLease',
  'threads',
  'usage',
  'verify',
  'repair',
  'owe',
  'settle',
  'flush',
  'exportPage',
  'importPage',
  'endCarry',
  'rest',
  'reconcile',
  'recordLoss',
  'destroy',
  'close',
] as const satisfies readonly (keyof Host)[]
export type Verb = (typeof VERBS)[number]

/** These change nothing, so that one whose answer was lost may simply be called again. */
export const READS: readonly Verb[] = [
  'head',
  'load',
  'history',
  'threads',
  'usage',
  'verify',
  'reconcile',
  'exportPage',
]
