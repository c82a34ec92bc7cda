import type { Versions } from '../../storage/format-version.ts'
import type { MetaName } from '../../storage/keys.ts'
import { TABLES, type Key, type Row, type Table } from '../../storage/storage.ts'
import type { LossRecord, SyncNote } from '../host.ts'
import {
  either,
  holds,
  is,
  isCount,
  isEach,
  isList,
  isName,
  isNumber,
  isPair,
  isText,
  isTime,
  type Guard,
} from '../shapes/shape.ts'
import { isSyncNoteInRow } from '../shapes/sync-note.ts'
import { unsealAs } from './seal.ts'
import { isThreadFacts, type ThreadFacts } from './thread-row.ts'

/** The facts in the heads of rows of `meta`, by their names. Those of a lane have a file of their own. */
interface MetaFacts extends Record<Exclude<MetaName, 'lane'>, object> {
  readonly family: FamilyFacts
  readonly database: DatabaseFacts
  readonly flush: AtFacts
  readonly lease: LeaseFacts
  readonly 'lease-beat': object
  readonly import: ImportFacts
  readonly staged: ThreadFacts
  readonly deleted: AtFacts
  readonly losses: LossRecord
  readonly quarantine: QuarantineFacts
  readonly gone: GoneFacts
  readonly removed: object
  readonly synced: SyncNote
}

export interface FamilyFacts {
  readonly sweep?: readonly string[]
  readonly synced?: true
}

export interface DatabaseFacts extends Versions {
  readonly id: string
  readonly createdAt: number
}

interface AtFacts {
  readonly at: number
}

export interface LeaseFacts {
  /** Rises with every lease of the thread, so that also others can tell an old runner from a new one. */
  readonly token: number
  /** The key that it was asked for with; not in a row of before. */
  readonly by?: string
}

/** What the row of an import says: how far it has come, and when it last gave a sign of life. */
export interface ImportFacts {
  readonly state: 'staging' | 'publishing' | 'clearing'
  readonly at: number
}

/** The facts of a row that was set aside. Its body stands there as it was. */
export interface QuarantineFacts {
  readonly table: Table
  readonly key: Key
  /** As it was found, whole. */
  readonly head: string
  /** When, and why. */
  readonly at: number
  readonly why: string
}

export interface GoneFacts {
  readonly own?: true
  /** It is told once this removal was made, which then says so in this partition. */
  readonly by?: readonly [partition: string, name: string]
}

const VERSIONS = { format: isCount, read: isCount, features: isEach(isText) }

/** Enough of it to tell whether it may be read. */
export const isVersions = holds<Versions>(VERSIONS, ['read', 'features'])

const isAt = holds<AtFacts>({ at: isTime })
const isSide = holds<LossRecord['loss']['found']>({ database: isText, threads: isCount })
const isLost = holds<LossRecord['loss']['heads'][number]>(
  { thread: isText, namespace: isText, expected: isCount, found: isCount },
  ['found'],
)

const SHAPES: { readonly [Name in keyof MetaFacts]: Guard<MetaFacts[Name]> } = {
  family: holds<FamilyFacts>({ sweep: isList(isName), synced: is(true) }, ['sweep', 'synced']),
  database: holds<DatabaseFacts>({ ...VERSIONS, id: isText, createdAt: isTime }, ['read', 'features']),
  flush: isAt,
  lease: holds<LeaseFacts>({ token: isNumber, by: isText }, ['by']),
  'lease-beat': holds<object>({}),
  import: holds<ImportFacts>({ state: is('staging', 'publishing', 'clearing'), at: isTime }),
  staged: isThreadFacts,
  deleted: isAt,
  losses: holds<LossRecord>({
    at: isTime,
    message: isText,
    loss: holds<LossRecord['loss']>({ expected: isSide, found: isSide, heads: isList(isLost) }),
  }),
  quarantine: holds<QuarantineFacts>({
    table: is(...TABLES),
    key: isList(either(isText, isNumber)),
    head: isText,
    at: isTime,
    why: isText,
  }),
  gone: holds<GoneFacts>({ own: is(true), by: isPair(isText, isText) }, ['own', 'by']),
  removed: holds<object>({}),
  synced: isSyncNoteInRow,
}

/** The facts of a row of this name, or `CORRUPT`. */
export const openMeta = <Name extends keyof MetaFacts>(
  name: Name,
  partition: string,
  row: Row,
): MetaFacts[Name] => unsealAs(partition, 'meta', row, SHAPES[name])
