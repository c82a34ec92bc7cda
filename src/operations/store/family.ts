import { allRows, births, FAMILY_KEY, STAGED } from '../../storage/keys.ts'
import type { Check, Put, Query, Row } from '../../storage/storage.ts'
import { openBirth, type Birth } from '../rows/birth-row.ts'
import { openMeta, type FamilyFacts } from '../rows/meta-row.ts'
import { seal } from '../rows/seal.ts'
import { openThread, type ThreadFacts, type ThreadRow } from '../rows/thread-row.ts'
import type { Store } from './store.ts'
import type { FamilyRow } from './thread-cache.ts'
import { unlessDamaged } from './unread.ts'

/**
 * A family is a thread and the forks that share rows with it: all that lives in one partition. Whatever changes
 * who shows which row (fork, copy, prune, delete) checks and renews the family's row, so that no two such
 * changes pass each other, and so does the first save of a thread or namespace. Other saves do not touch it.
 */
export interface Family extends FamilyRow {
  readonly partition: string
  readonly threads: readonly ThreadRow[]
  /** Rows of threads that cannot be read: what these show is not known, so it stays. */
  readonly damaged: readonly Row[]
  /**
   * Threads of an import that is published in several commits, which nobody can see yet: what they show stays too. Nothing
   * where one of them cannot be read.
   */
  readonly coming: readonly ThreadFacts[] | undefined
  /** Whose lanes there are, as far as that can be read. */
  readonly births: readonly Birth[]
}

export const familyQuery: Query = { table: 'meta', keys: [FAMILY_KEY] }

export function openFamily(partition: string, rows: readonly Row[] | undefined): FamilyRow {
  const row = rows?.[0]
  if (!row) return { version: undefined, sweep: [], isSynced: false, beside: {} }
  // Without its facts rows take room, or removals are written down for nothing: it is renewed like any other.
  const facts: FamilyFacts = unlessDamaged(() => openMeta('family', partition, row)) ?? { synced: true }
  const { sweep = [], synced = false, ...beside } = facts
  return { version: row.version, sweep, isSynced: synced, beside }
}

export function renewFamily(
  partition: string,
  family: FamilyRow,
  sweep = family.sweep,
): { check: Check; put: Put } {
  const facts: FamilyFacts = {
    ...family.beside,
    ...(sweep.length > 0 ? { sweep } : {}),
    ...(family.isSynced ? { synced: true } : {}),
  }
  return {
    check: { table: 'meta', key: FAMILY_KEY, version: family.version },
    put: { table: 'meta', key: FAMILY_KEY, head: seal(partition, 'meta', FAMILY_KEY, facts) },
  }
}

export async function readFamily(store: Store, partition: string): Promise<Family> {
  return openWholeFamily(partition, await store.storage.read(partition, familyQueries))
}

/** What `openWholeFamily` is made from, to be read beside other rows at one moment. */
export const familyQueries: readonly Query[] = [
  { table: 'threads', ...allRows() },
  familyQuery,
  { table: 'meta', ...births },
  { table: 'meta', ...STAGED },
]

export function openWholeFamily(
  partition: string,
  [threads = [], meta, born = [], staged = []]: readonly Row[][],
): Family {
  const opened = threads.map((row) => ({ row, thread: unlessDamaged(() => openThread(partition, row)) }))
  return {
    partition,
    ...openFamily(partition, meta),
    threads: opened.flatMap(({ thread }) => thread ?? []),
    damaged: opened.flatMap(({ row, thread }) => (thread ? [] : [row])),
    coming: allOrNothing(staged.map((row) => unlessDamaged(() => openMeta('staged', partition, row)))),
    births: born.flatMap((row) => unlessDamaged(() => openBirth(partition, row)) ?? []),
  }
}

const allOrNothing = <T>(items: readonly (T | undefined)[]): readonly T[] | undefined =>
  items.every((item) => item !== undefined) ? items : undefined
