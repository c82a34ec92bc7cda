import { describe, test } from 'vitest'
import { CheckpointerError } from '../errors.ts'
import type { Storage } from '../storage/storage.ts'
import { aliasLaws } from './storage/aliases.ts'
import { commitLaws } from './storage/commits.ts'
import { deletionLaws } from './storage/deletions.ts'
import type { Law } from './storage/law.ts'
import { lifetimeLaws } from './storage/lifetime.ts'
import { limitLaws } from './storage/limits.ts'
import { listLaws } from './storage/list.ts'
import { orderLaws } from './storage/order.ts'
import { partitionLaws } from './storage/partitions.ts'
import { raceLaws } from './storage/races.ts'
import { rowLaws } from './storage/rows.ts'
import { versionLaws } from './storage/versions.ts'

/** How the suite comes by what it tests. */
export interface StorageFactory {
  /** A storage with data of its own, and none of it yet. Called once for each law. */
  open(): Promise<StorageHandle>
}

/** One storage under test, and what can be done with its data. What cannot is left out, and not tested. */
export interface StorageHandle {
  readonly storage: Storage
  /** Opens the same data again after `storage` was closed. Left out where data ends with its storage. */
  reopen?(): Promise<Storage>
  /** A second connection to the same data beside `storage`. Left out where there can be one alone. */
  another?(): Promise<Storage>
}

const themes: Readonly<Record<string, (law: Law) => void>> = {
  rows: rowLaws,
  order: orderLaws,
  aliases: aliasLaws,
  commits: commitLaws,
  versions: versionLaws,
  deletions: deletionLaws,
  partitions: partitionLaws,
  list: listLaws,
  limits: limitLaws,
  races: raceLaws,
  lifetime: lifetimeLaws,
}

/** Proves that an adapter keeps the laws of the storage port. One test a law; to be called in a test file. */
export function storageSuite(name: string, factory: StorageFactory): void {
  describe(name, () => {
    for (const [theme, laws] of Object.entries(themes)) describe(theme, () => laws(lawOn(factory)))
  })
}

function lawOn(factory: StorageFactory): Law {
  return (title, prove) => {
    test(title, { timeout: 60_000 }, async (context) => {
      const { storage, ...ways } = await factory.open()
      const opened = [storage]
      const open = async (way: 'reopen' | 'another'): Promise<Storage> => {
        const more = (await ways[way]?.()) ?? context.skip(`this storage has no ${way}()`)
        opened.push(more)
        return more
      }
      try {
        await prove({
          storage,
          reopen: () => open('reopen'),
          another: () => open('another'),
          shares: ways.another !== undefined,
          keeps: ways.reopen !== undefined,
        })
      } finally {
        for (const each of opened.reverse()) await tidy(each)
      }
    })
  }
}

async function tidy(storage: Storage): Promise<void> {
  try {
    await storage.destroy()
  } catch (error) {
    if (!CheckpointerError.is(error, 'CLOSED')) throw error
  }
  await storage.close()
}
