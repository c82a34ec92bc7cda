import { openCheckpointer, type Checkpointer } from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import type { Put, Storage } from '../../../src/storage/storage.ts'
import { richStorage, typesOfRich } from './rich.ts'
import { putOf, rowsOf, type StoredRow } from './rows.ts'

/** A row as it was, and what became of it: absent when it was deleted. */
export interface Damage {
  readonly row: StoredRow
  readonly what: 'head' | 'body' | 'key' | 'partition' | 'index' | 'version' | 'deleted'
  readonly now?: { readonly partition: string; readonly put: Put; readonly version?: string }
}

/** A rich database, whose rows can be damaged one at a time. */
export interface Flippable {
  readonly rows: readonly StoredRow[]
  /** Whether a row's version is stored beside it, where it can be damaged. */
  readonly hasVersions: boolean
  /** All rows are again as they were, but for this one. */
  restore(damage?: Damage): Promise<void>
  open(): Promise<Checkpointer>
  /** What changes with each row that is put. */
  versions(): Promise<string>
}

export const opened = (storage: Storage): Promise<Checkpointer> =>
  openCheckpointer({ name: 'flipped', storage, types: typesOfRich, onWarning: () => {} })

export const versionsOf = async (storage: Storage): Promise<string> =>
  JSON.stringify((await rowsOf(storage)).map(({ version }) => version))

export async function inMemory(): Promise<Flippable> {
  const origin = memoryStorage()
  await richStorage(origin)
  const rows = await rowsOf(origin)
  let storage: Storage = origin
  return {
    rows,
    hasVersions: false,
    async restore(damage) {
      storage = Object.assign(memoryStorage(), { close: async () => {} })
      for (const row of rows) {
        if (row === damage?.row) continue
        await storage.commit(row.partition, { puts: [putOf(row)] })
      }
      if (damage?.now) await storage.commit(damage.now.partition, { puts: [damage.now.put] })
    },
    open: () => opened(storage),
    versions: () => versionsOf(storage),
  }
}
