import { CheckpointerError } from '../../../errors.ts'
import { allRows, DATABASE_PARTITION, FAMILY_KEY, importKey, unescapeId } from '../../../storage/keys.ts'
import { TABLES, type Row } from '../../../storage/storage.ts'
import { readFamily } from '../../store/family.ts'
import type { Store } from '../../store/store.ts'
import { checkThread } from '../../store/threads.ts'
import { DEAD_AFTER, ImportRow, openImport, partitionsOf } from './import-row.ts'
import { publishPartition } from './publish.ts'

/** Removes what an import has brought, seen or not. What somebody has gone on with stays. */
export async function clearImport(store: Store, row: ImportRow): Promise<void> {
  // First the mark: so an import that is not dead after all does not go on, and whoever finds this goes on with it.
  await row.put('clearing')
  for await (const partition of partitionsOf(store, row.id)) await clearPartition(store, partition)
  await row.remove()
}

/** The same by its id, if it was not decided yet. */
export async function clearUnfinished(store: Store, id: string): Promise<void> {
  const [rows] = await store.storage.read(DATABASE_PARTITION, [{ table: 'meta', keys: [importKey(id)] }])
  const row = rows?.[0]
  if (row && (openImport(row)?.state ?? 'publishing') !== 'publishing')
    await clearImport(store, new ImportRow(store, id, row.version))
}

async function clearPartition(store: Store, partition: string): Promise<void> {
  const family = await readFamily(store, partition)
  const { threads, damaged, version } = family
  // They were put with the family's row, and neither was put again.
  const isUntouched = damaged.length === 0 && threads.every((thread) => thread.version === version)
  const result =
    isUntouched &&
    (await store.storage.commit(partition, {
      checks: [...threads.map(checkThread), { table: 'meta', key: FAMILY_KEY, version }],
      deleteRanges: TABLES.map((table) => ({ table, ...allRows() })),
    }))
  for (const { facts } of threads) store.threads.forget(facts.thread)
  if (result && result.ok) return
  const left = [...new Set(threads.map(({ facts }) => facts.thread))].join(', ')
  store.warn(
    new CheckpointerError('CONFLICT', `An import was taken back, but ${left} stays: it was changed already.`),
  )
}

/**
 * Goes on with imports that ended before all of them could be seen; clears up after those that never got so far. One whose
 * row cannot be read may have been seen: it is left as it is, and `verify` tells it.
 */
export async function recoverImports(store: Store, rows: readonly Row[]): Promise<void> {
  for (const row of rows) {
    const facts = openImport(row)
    const own = new ImportRow(store, unescapeId(row.key[1] as string), row.version)
    if (facts?.state === 'publishing') await goOn(store, own)
    else if (facts && (facts.state !== 'staging' || Date.now() - facts.at > DEAD_AFTER))
      await clearImport(store, own)
  }
}

/** What cannot be read of it keeps nothing else from being seen, nor the database from being opened: `verify` tells it. */
async function goOn(store: Store, row: ImportRow): Promise<void> {
  const onTaken = async (thread: string): Promise<string> => {
    const name = `${thread.slice(0, 200)}-${row.id.slice(0, 23)}`
    const message = `There is a thread '${thread}' by now: the imported one is called '${name}'.`
    store.warn(new CheckpointerError('CONFLICT', message, { thread: name }))
    return name
  }
  const told = new Set<string>()
  const onDamage = (error: CheckpointerError): void => {
    if (!told.has(error.message)) store.warn(error)
    told.add(error.message)
  }
  for await (const partition of partitionsOf(store, row.id))
    await publishPartition(store, partition, { onTaken, onDamage })
  await row.remove()
}
