import type { WorkloadName } from './workloads.ts'

/** What is measured of everyone. */
export type Measure =
  | 'save'
  | 'saveFrozen'
  | 'blocked'
  | 'blockedFrozen'
  | 'handed'
  | 'disk'
  | 'open'
  | 'load'
  | 'again'
  | 'list'
  | 'page'
  | 'fork'
  | 'prune'
  | 'memory'

/** When a save has resolved: it is on the disk, with the browser, or nowhere. */
type Durability = 'strict' | 'relaxed' | 'none'

export interface Described {
  readonly label: string
  /** The package whose version is told. */
  readonly package?: string
  readonly durability: Durability
  /** What is stored, in a few words. */
  readonly stores: string
  /** How an answer is stored while it comes in, and what that promises, where it is not as with any other save. */
  readonly streams?: { readonly how: string; readonly durability: string }
  /** What it stores are private files of the origin, and no databases of the browser. */
  readonly isFiles?: true
  /** Why a measure, or a workload, is none of it. */
  readonly cannot?: Partial<Record<Measure, string>>
  readonly skips?: Partial<Record<WorkloadName, string>>
}

const notOneProgram = 'it holds what each measure needs, beside each other'
const inBatches = 'batches of tokens, one every 50 ms, then the message'
const latestOnly = 'only the latest state is kept'
const ofAnotherWorker = 'its files are written by a worker of its own, where nothing can be counted'
const notPersisted = 'nothing is persisted'

/** Everyone who is measured. How each is used is in `page/contenders/`, by its name, as its own documentation says. */
const CONTENDERS = {
  floor: {
    label: 'floor (raw IndexedDB, strict)',
    durability: 'strict',
    stores: 'just the bytes that are needed',
    streams: { how: inBatches, durability: 'relaxed, the end strict' },
    cannot: { disk: notOneProgram, memory: notOneProgram },
  },
  'floor-relaxed': {
    label: 'floor (raw IndexedDB, relaxed)',
    durability: 'relaxed',
    stores: 'just the bytes that are needed',
    streams: { how: inBatches, durability: 'relaxed' },
    cannot: { disk: notOneProgram, memory: notOneProgram },
  },
  forkpoint: {
    label: 'forkpoint',
    durability: 'strict',
    stores: 'a delta for each checkpoint',
    streams: {
      how: '`loop.stream`: batches of tokens, then a checkpoint',
      durability: 'relaxed, the end strict',
    },
  },
  whole: {
    label: 'raw IndexedDB, whole state',
    durability: 'strict',
    stores: 'the whole state for each checkpoint',
  },
  dexie: {
    label: 'Dexie',
    package: 'dexie',
    durability: 'relaxed',
    stores: 'the whole state for each checkpoint',
  },
  'idb-keyval': {
    label: 'idb-keyval',
    package: 'idb-keyval',
    durability: 'relaxed',
    stores: 'the latest state, as one JSON string',
    cannot: { page: latestOnly, fork: latestOnly, prune: latestOnly },
    skips: { tree: latestOnly },
  },
  rxdb: {
    label: 'RxDB (storage: Dexie)',
    package: 'rxdb',
    durability: 'relaxed',
    stores: 'a document with the whole state for each checkpoint, and one that says what it is',
  },
  pglite: {
    label: 'PGlite (idb://)',
    package: '@electric-sql/pglite',
    durability: 'relaxed',
    stores: 'a row with the whole state for each checkpoint',
  },
  sqlite: {
    label: 'sqlite-wasm (OPFS, worker)',
    package: '@sqlite.org/sqlite-wasm',
    durability: 'strict',
    stores: 'a row with the whole state for each checkpoint',
    isFiles: true,
    cannot: { handed: ofAnotherWorker },
  },
  'sqlite-pool': {
    label: 'sqlite-wasm (OPFS pool, one tab)',
    package: '@sqlite.org/sqlite-wasm',
    durability: 'strict',
    stores: 'the same, in a pool of files that one tab has to itself',
    isFiles: true,
    cannot: { handed: ofAnotherWorker },
  },
  yjs: {
    label: 'Yjs with y-indexeddb',
    package: 'y-indexeddb',
    durability: 'relaxed',
    stores: 'an update for each change, as the application words it',
    streams: { how: 'an update for what has come in 50 ms', durability: 'relaxed' },
    cannot: {
      page: 'it has no checkpoints',
      fork: 'it has no checkpoints',
      prune: 'it has no checkpoints',
      list: 'a thread is a database of its own',
      open: 'a thread is opened when it is loaded',
    },
    skips: {
      many: 'each document is a database of its own, of which 2,000 would be needed',
      tree: 'it has no checkpoints to fork from',
      prune: 'it has no checkpoints',
    },
  },
  'memory-saver': {
    label: 'LangGraph MemorySaver',
    package: '@langchain/langgraph-checkpoint',
    durability: 'none',
    stores: 'the whole state for each checkpoint, in memory',
    cannot: {
      handed: notPersisted,
      disk: notPersisted,
      open: notPersisted,
      load: notPersisted,
      list: 'it lists checkpoints, not threads',
      prune: 'it deletes whole threads only',
    },
    skips: { cold: notPersisted, prune: 'it deletes whole threads only' },
  },
} as const satisfies Record<string, Described>

export type ContenderName = keyof typeof CONTENDERS
export const contenderNames = Object.keys(CONTENDERS) as ContenderName[]
export const described = (name: ContenderName): Described => CONTENDERS[name]

/** Whom ratios are to: a raw put or get of just the needed bytes, with the same promise. */
export const floorOf = (name: ContenderName): ContenderName =>
  described(name).durability === 'strict' ? 'floor' : 'floor-relaxed'
