import { MOST_WRITES } from '../ids.ts'
import { randomName } from '../platform/random.ts'
import { escapeId, unescapeId } from './escape-id.ts'
import type { Key, Range, Table } from './storage.ts'

export { escapeId, unescapeId }

/**
 * Every key that is ever written. Nothing else makes or parses one.
 *
 * | table       | key                              | alias       | what                                     |
 * | ----------- | -------------------------------- | ----------- | ---------------------------------------- |
 * | threads     | thread, namespace                |             | head, lanes; the row of '' is listed     |
 * | checkpoints | lane, seq                        | lane, id    | one checkpoint, its frame when small     |
 * | parts       | lane, seq, owner, number         |             | a piece of a payload; owner says whose   |
 * | writes      | lane, seq, task, index + 2^20    |             | one pending write                        |
 * | meta        | name, of                         |             | what is known, and of what, '' of all    |
 *
 * Ids of callers are any text, so they are escaped to printable ASCII (engines differ in how they order and
 * even in whether they keep other characters); every part stands alone in its tuple, so ids never run together.
 */
/** Greater than every escaped id, to end a range with. */
const AFTER_IDS = '\x7e'

/** The partition of a thread that is no fork: a fork lives in its origin's. */
export const partitionOf = (thread: string): string => escapeId(thread)

export const threadKey = (thread: string, namespace: string): Key => [escapeId(thread), escapeId(namespace)]
export const threadRows = (thread: string): Range => ({
  from: [escapeId(thread)],
  to: [escapeId(thread), AFTER_IDS],
})
export const allRows = (first?: string): Range => ({
  from: first === undefined ? [] : [first],
  to: [AFTER_IDS],
})
/** Of one name and one thread, each with a name of its own. */
const rowsOf = (name: string, thread: string): Range => ({
  from: [name, `${escapeId(thread)}:`],
  to: [name, `${escapeId(thread)};`],
})
/** All meta rows of one name. */
const metaRows = (name: string): Range => ({ from: [name], to: [name, AFTER_IDS] })

/**
 * All rows of a table, also such as no key of ours names: a damaged one may stand anywhere. What is greater yet, U+FFFF,
 * bundlers write into their files as it is, and Chromium loads no content script that has a noncharacter in it.
 */
export const anyRows = (after?: Key): Range => ({ from: after ? [...after, 0] : [], to: ['\ufffd'] })

export const checkpointKey = (lane: string, seq: number): Key => [lane, seq]
export const checkpointAlias = (lane: string, id: string): Key => [lane, escapeId(id)]
/** The rows of a lane from one seq to another, both included: of checkpoints, their parts, their writes. */
export const seqRange = (lane: string, from: number, to: number): Range => ({
  from: [lane, Math.max(0, from)],
  to: [lane, Math.min(to, Number.MAX_SAFE_INTEGER - 1) + 1],
})
export const seqOf = (key: Key): number => key[1] as number
/** Of a row of `checkpoints`, `parts` or `writes`. */
export const laneOfKey = (key: Key): string => key[0] as string
/** Of a row of `threads`. */
export const threadOf = (key: Key): string => unescapeId(key[0] as string)

/** What of a key, or of a checkpoint's alias, is an id of the caller's: where, and by the name that it has for them. */
const GIVEN: Readonly<Partial<Record<Table, readonly (readonly [place: number, name: string])[]>>> = {
  threads: [
    [0, 'thread'],
    [1, 'namespace'],
  ],
  checkpoints: [[1, 'id']],
  writes: [[2, 'taskId']],
}

/** Which of the caller's ids takes the most of a key. */
export function longestGiven(table: Table, key: Key): string | undefined {
  const given = GIVEN[table] ?? []
  const most = Math.max(...given.map(([place]) => String(key[place]).length))
  return given.find(([place]) => String(key[place]).length === most)?.[1]
}

/** What a row is about, as far as its key tells. */
export function placeOfRow(
  table: Table,
  [first, second]: Key,
): { readonly thread?: string; readonly namespace?: string; readonly seq?: number } {
  if (table === 'threads') return { thread: unescapeId(String(first)), namespace: unescapeId(String(second)) }
  return typeof second === 'number' ? { seq: second } : {}
}

/**
 * What a checkpoint's own parts are filed under: new for each time it is written, so that parts can be written
 * before the row that names them, beside those of another writer or of an older form of the same row.
 */
export const newPartsOwner = (): string => randomName(6)

export const partKey = (lane: string, seq: number, owner: string, number: number): Key => [
  lane,
  seq,
  owner,
  number,
]
export const partsOf = (lane: string, seq: number, owner: string): Range => ({
  from: [lane, seq, owner],
  to: [lane, seq, owner, Number.MAX_SAFE_INTEGER],
})
export const ownerOfPart = (key: Key): string => key[2] as string
export const isPartOfWrite = (key: Key): boolean => ownerOfPart(key).startsWith(OF_WRITES)

export const writeKey = (lane: string, seq: number, taskId: string, index: number): Key => [
  lane,
  seq,
  escapeId(taskId),
  index + MOST_WRITES,
]
/** The pending writes of one task, from an index on, and before another. */
export const taskRange = (
  lane: string,
  seq: number,
  taskId: string,
  from = -MOST_WRITES,
  before = Number.MAX_SAFE_INTEGER - MOST_WRITES,
): Range => ({ from: writeKey(lane, seq, taskId, from), to: writeKey(lane, seq, taskId, before) })
/** The same for a pending write, in a range of its own beside the checkpoint's. */
export const newWritePartsOwner = (): string => OF_WRITES + newPartsOwner()
const OF_WRITES = 'w:'
export const checkpointPartsOf = (lane: string, seq: number): readonly Range[] => [
  { from: [lane, seq], to: [lane, seq, OF_WRITES] },
  { from: [lane, seq, 'w;'], to: [lane, seq + 1] },
]
export const writePartsOf = (lane: string, seq: number): Range => ({
  from: [lane, seq, OF_WRITES],
  to: [lane, seq, 'w;'],
})
/** Tells the writes of one checkpoint apart. */
export const writeName = (key: Key): string => `${key[2]}:${key[3]}`

const BIRTH = 'lane'
/** Says which thread a lane was made for. */
export const birthKey = (lane: string): Key => [BIRTH, lane]
export const births: Range = { from: [BIRTH], to: [BIRTH, AFTER_IDS] }

export const FAMILY_KEY: Key = ['family', '']
const LEASE = 'lease'
export const leaseKey = (thread: string): Key => [LEASE, escapeId(thread)]
const BEAT = 'lease-beat'
/** The sign of life of whoever holds the lease, where no lock of the browser's tells. */
export const beatKey = (thread: string): Key => [BEAT, escapeId(thread)]
const REMOVED = 'removed'
/** That a removal was made from a thread: put by the commit that makes it. */
export const removedKey = (thread: string, name: string): Key => [REMOVED, `${escapeId(thread)}:${name}`]
export const removedRows = (thread: string): Range => rowsOf(REMOVED, thread)
/** All rows of `meta` that go with a family. Those of leases go with their thread, and what tells of a removal stays. */
export const metaOfFamily = (): readonly Range[] => [
  { from: [], to: [LEASE] },
  { from: [LEASE + AFTER_IDS], to: [REMOVED] },
  { from: [REMOVED + AFTER_IDS], to: [AFTER_IDS] },
]
export const DATABASE_PARTITION = ''
export const DATABASE_KEY: Key = ['database', '']
/** Put again and again, to have one durable commit. */
export const FLUSH_KEY: Key = ['flush', '']
/** That a thread was deleted on purpose. */
export const deletedKey = (thread: string): Key => [DELETED, escapeId(thread)]
const DELETED = 'deleted'
export const deletedRows: Range = { from: [DELETED], to: [DELETED, AFTER_IDS] }
/** What was found missing: a whole database by its id, threads by when. */
export const lossKey = (of: string): Key => [LOSSES, escapeId(of)]
const LOSSES = 'losses'

/** Imports under way, in the partition of the database. */
export const importKey = (id: string): Key => ['import', escapeId(id)]
export const IMPORTS: Range = metaRows('import')
/** What comes with an import stands in partitions of its own; no thread's can have a colon. */
export const importPartitions = (id: string): string => `i:${escapeId(id)}:`
export const importPartition = (id: string, number: number): string => `${importPartitions(id)}${number}`
/** The import that a partition came with. */
export function importOf(partition: string): Key | undefined {
  const [, id] = /^i:(.*):\d+$/.exec(partition) ?? []
  return id === undefined ? undefined : ['import', id]
}
/** A thread's row before its import is published: nobody finds it there. */
export const stagedKey = (number: number): Key => ['staged', String(number).padStart(9, '0')]
export const STAGED: Range = metaRows('staged')

/** What was removed from a thread that other stores have too, by the name of the removal. */
export const goneKey = (thread: string, name: string): Key => [GONE, `${escapeId(thread)}:${name}`]
const GONE = 'gone'
export const goneRows = (thread: string): Range => rowsOf(GONE, thread)
/** Of all threads, from behind one on. */
export const goneAfter = (thread?: string): Range => ({
  from: thread === undefined ? [GONE] : [GONE, `${escapeId(thread)};`],
  to: [GONE, AFTER_IDS],
})
/** Of a row of either kind: what the removal is called. */
export const nameOfGone = (key: Key): string => (key[1] as string).split(':')[1] as string
export const threadOfGone = (key: Key): string => unescapeId((key[1] as string).split(':')[0] as string)

const SYNCED = 'synced'
/** How far this store has come with another one in bringing a thread together. */
export const syncedKey = (thread: string, store: string): Key => [
  SYNCED,
  `${escapeId(thread)}:${escapeId(store)}`,
]

/** The lane or thread that a row of `meta` is of, if it is of one that is there. */
export function metaOf([name, of]: Key): { readonly lane?: string; readonly thread?: string } {
  if (name === BIRTH) return { lane: of as string }
  return name === LEASE || name === BEAT ? { thread: unescapeId(of as string) } : {}
}

const QUARANTINE = 'quarantine'
/** Where a row is set aside: a place of its own each time. */
export const newQuarantineKey = (): Key => [QUARANTINE, newPartsOwner() + newPartsOwner()]

/** What rows of `meta` there are. One with another name was written by a version that knew more. */
export const META_NAMES = [
  'family',
  'database',
  'flush',
  LEASE,
  BEAT,
  'import',
  'staged',
  DELETED,
  LOSSES,
  BIRTH,
  QUARANTINE,
  GONE,
  REMOVED,
  SYNCED,
] as const
export type MetaName = (typeof META_NAMES)[number]

export const metaNameOf = ([name]: Key): MetaName | undefined => META_NAMES.find((each) => each === name)
