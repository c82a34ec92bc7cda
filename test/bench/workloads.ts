/** What a step of a workload adds to the state. */
export type Shape =
  /** Two messages of 1.35 KB, as text that never repeats. */
  | 'chat'
  /** A call of a tool, and its result of 40 KB. */
  | 'tools'
  /** One short message. */
  | 'short'
  /** Nothing: one field changes. */
  | 'field'
  /** A token of an answer that comes in. */
  | 'token'

export interface Workload {
  readonly what: string
  readonly shape: Shape
  /** Steps that are there before anything is measured: of so many threads, each in one batch. */
  readonly seeded?: { readonly threads: number; readonly steps: number; readonly shape: Shape }
  /** Steps of the thread that is measured, each a save; or the tokens of an answer. */
  readonly steps: number
  /** Answers, each to a seeded thread of its own. */
  readonly answers?: number
  /** Ten steps of a state that is changed in place, then ten of one that is made anew with each step, frozen, in turns. */
  readonly frozen?: 'turns'
  /** Forks of that thread at this step, each with so many steps of its own. */
  readonly forks?: { readonly at: number; readonly count: number; readonly steps: number }
  /** New pages that open, list and load. */
  readonly cold: number
  /** How often each reads, lists and forks what it has written. */
  readonly reads: number
  /** Threads of so many steps that are pruned to 20. */
  readonly pruned?: { readonly threads: number; readonly steps: number }
  /** Milliseconds between two saves, as a model takes its time. */
  readonly pause: number
  /** One save in so many is watched for what it keeps the page from, which would slow all of them down. */
  readonly watched: number
  /** Of how many steps, at the end, the figures of saves are: a save may cost what the state weighs. */
  readonly lastShare: number
}

export const WORKLOADS = {
  chat: {
    what: '500 steps, two messages of 1.35 KB each; saves of the last fifth',
    shape: 'chat',
    steps: 500,
    cold: 20,
    reads: 25,
    pause: 3,
    watched: 4,
    lastShare: 0.2,
  },
  tools: {
    what: '200 steps, each with a result of a tool of 40 KB; saves of the last 80',
    shape: 'tools',
    steps: 200,
    cold: 20,
    reads: 20,
    pause: 3,
    watched: 4,
    lastShare: 0.4,
  },
  big: {
    what: 'one state of 10 MB, of which one field changes with each of 80 saves; ten times it is changed in place, ten times made anew and frozen, and so on; the first of each ten is not counted',
    shape: 'field',
    steps: 80,
    frozen: 'turns',
    cold: 10,
    reads: 10,
    pause: 10,
    watched: 2,
    lastShare: 1,
  },
  tree: {
    what: 'a hundred forks off step 100 of a thread of 200 steps, ten steps each; saves to the forks',
    shape: 'chat',
    steps: 200,
    forks: { at: 100, count: 100, steps: 10 },
    cold: 10,
    reads: 20,
    pause: 1,
    watched: 4,
    lastShare: 0,
  },
  stream: {
    what: 'forty answers of 5,000 tokens, each token in a task of its own, as a network brings them, and each answer at the end of a chat of 40 messages; a save is a token’s share of the time until all of an answer was stored',
    shape: 'token',
    seeded: { threads: 40, steps: 20, shape: 'chat' },
    steps: 5000,
    answers: 40,
    cold: 10,
    reads: 20,
    pause: 0,
    watched: 2,
    lastShare: 1,
  },
  many: {
    what: '2,000 threads of 10 checkpoints, then 100 saves to ten of them',
    shape: 'short',
    seeded: { threads: 2000, steps: 10, shape: 'short' },
    steps: 100,
    cold: 10,
    reads: 25,
    pause: 3,
    watched: 4,
    lastShare: 1,
  },
  cold: {
    what: 'a new page opens a database of 50 threads, lists them and loads the latest state of one, of 1.35 MB',
    shape: 'chat',
    seeded: { threads: 50, steps: 4, shape: 'short' },
    steps: 500,
    cold: 40,
    reads: 20,
    pause: 0,
    watched: 4,
    lastShare: 0.2,
  },
  prune: {
    what: 'threads of 1,000 checkpoints, a short message each, are pruned to 20; saves to another one, of 200 steps',
    shape: 'short',
    steps: 200,
    pruned: { threads: 8, steps: 1000 },
    cold: 10,
    reads: 20,
    pause: 1,
    watched: 4,
    lastShare: 0.4,
  },
} as const satisfies Record<string, Workload>

/** The thread that steps go to; what those that were seeded, and those to be pruned, begin with. */
export const MAIN = 'main'
export const SEEDED = 'seeded-'
export const PRUNED = 'pruned-'

export type WorkloadName = keyof typeof WORKLOADS
export const workloadNames = Object.keys(WORKLOADS) as WorkloadName[]
export const workload = (name: WorkloadName): Workload => WORKLOADS[name]
