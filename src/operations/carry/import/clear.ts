import { CheckpointerError, isTaken } from '../../../errors.ts'
import { allRows, DATABASE_PARTITION, FAMILY_KEY, importKey, unescapeId } from '../../../storage/keys.ts'
import { TABLES, type Row } from '../../../storage/storage.ts'
import type { ThreadRow } from '../../rows/thread-row.ts'
import { readFamily, type Family } from '../../store/family.ts'
import type { Store } from '../../store/store.ts'
import { checkThread } from '../../store/threads.ts'
import { DEAD_AFTER, ImportRow, openImport, partitionsOf } from './import-row.ts'
import { nameStaged, publishPartition, readStaged } from './publish.ts'

/** Removes what an import has brought. */
export async function clearImport(store: Store, row: ImportRow): Promise<void> {
  // First the mark: so an import that is not dead after all does not go on, and whoever finds this goes on with it.
  if (await row.mark('clearing')) await clearMarked(store, row)
}

/** Also what can be seen of it, in these lanes. What somebody has gone on with stays. */
export async function clearMarked(
  store: Store,
  row: ImportRow,
  published?: ReadonlySet<string>,
): Promise<void> {
  for await (const partition of partitionsOf(store, row.id)) await clearPartition(store, partition, published)
  await row.remove()
}

/** The same by its id, if it was not decided yet. */
export async function clearUnfinished(store: Store, id: string): Promise<void> {
  const [rows] = await store.storage.read(DATABASE_PARTITION, [{ table: 'meta', keys: [importKey(id)] }])
  const row = rows?.[0]
  if (row && (openImport(row)?.state ?? 'publishing') !== 'publishing')
    await clearImport(store, new ImportRow(store, id, row.version))
}

async function clearPartition(
  store: Store,
  partition: string,
  published?: ReadonlySet<string>,
): Promise<void> {
  const family = await readFamily(store, partition)
  const { threads, damaged, version } = family
  const isUntouched = damaged.length === 0 && threads.every(isAsItCame(family, published))
  const result =
    isUntouched &&
    (await store.storage.commit(partition, {
      checks: [...threads.map(checkThread), { table: 'meta', key: FAMILY_KEY, version }],
      deleteRanges: TABLES.map((table) => ({ table, ...allRows() })),
    }))
  for (const { facts } of threads) store.threads.forget(facts.thread)
  if (result && result.ok) return
  await dropStaged(store, partition)
  const left = [...new Set(threads.map(({ facts }) => facts.thread))].join(', ')
  const message = `An import was taken back, but ${left} stays: it was changed already, or what shares rows with it.`
  store.warn(new CheckpointerError('CONFLICT', message))
}

/** A thread's row is put with that of its lane's birth, which is never put again. */
function isAsItCame(
  { births, version }: Family,
  published: ReadonlySet<string> | undefined,
): (thread: ThreadRow) => boolean {
  // Where nobody knows what was published, all of it was if it came in one commit, with the family's row.
  if (!published) return (thread) => thread.version === version
  const born = new Map(births.map(({ lane, row }) => [lane, row.version]))
  return ({ facts, version: own }) => published.has(facts.lane) && born.get(facts.lane) === own
}

/** Of what stays nothing more is to be seen; the next removal there sweeps what only these would have shown. */
async function dropStaged(store: Store, partition: string): Promise<void> {
  const ignore = (): void => {}
  const staged = await readStaged(store, partition, ignore)
  await nameStaged(store, partition, new Map(staged.map(({ facts }) => [facts.thread, undefined])), ignore)
}

/**
 * Goes on with imports that ended before all of them could be seen; clears up after those that never got so far. One whose
 * row cannot be read may have been seen: it is left as it is, and `verify` tells it. What fails keeps nobody from opening.
 */
export async function recoverImports(store: Store, rows: readonly Row[]): Promise<void> {
  for (const row of rows) {
    try {
      await recoverImport(store, row)
    } catch (cause) {
      if (isTaken(cause)) throw cause
      const message = 'An import that was cut off could not be gone on with; a later opening does.'
      store.warn(new CheckpointerError('FAILED', message, { cause }))
    }
  }
}

async function recoverImport(store: Store, row: Row): Promise<void> {
  const facts = openImport(row)
  const own = new ImportRow(store, unescapeId(row.key[1] as string), row.version)
  if (facts?.state === 'publishing') await goOn(store, own)
  else if (facts && (facts.state !== 'staging' || Date.now() - facts.at > DEAD_AFTER))
    await clearImport(store, own)
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
