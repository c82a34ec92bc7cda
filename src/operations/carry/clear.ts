import { CheckpointerError } from '../../errors.ts'
import { unescapeId } from '../../storage/keys.ts'
import type { Row } from '../../storage/storage.ts'
import { readFamily } from '../family.ts'
import type { Store } from '../store.ts'
import { DEAD_AFTER, ImportRow, openImport, partitionsOf } from './import-row.ts'
import { publishPartition } from './publish.ts'
import { wipe } from './stage.ts'

/** Removes what an import has staged. What is published already stays. */
export async function clearImport(store: Store, row: ImportRow): Promise<void> {
  // First the mark, so that an import that is not dead after all does not go on over it.
  await row.put('clearing')
  for await (const partition of partitionsOf(store, row.id)) {
    const { threads, damaged } = await readFamily(store, partition)
    if (threads.length + damaged.length === 0) await wipe(store, partition)
  }
  await row.remove()
}

/** Goes on with imports that ended before all of them could be seen; clears up after those that never got so far. */
export async function recoverImports(store: Store, rows: readonly Row[]): Promise<void> {
  for (const row of rows) {
    const facts = openImport(row)
    const own = new ImportRow(store, unescapeId(row.key[1] as string), row.version)
    if (facts?.state === 'publishing') await goOn(store, own)
    else if (facts?.state !== 'staging' || Date.now() - facts.at > DEAD_AFTER) await clearImport(store, own)
  }
}

async function goOn(store: Store, row: ImportRow): Promise<void> {
  for await (const partition of partitionsOf(store, row.id))
    await publishPartition(store, partition, async (thread) => {
      const name = `${thread.slice(0, 200)}-${row.id.slice(0, 23)}`
      store.warn(
        new CheckpointerError(
          'CONFLICT',
          `There is a thread '${thread}' by now: the imported one is called '${name}'.`,
          {
            thread: name,
          },
        ),
      )
      return name
    })
  await row.remove()
}
