import { Changes } from './changes.ts'
import { entriesOf, rowsIn, type GoneRange } from './erase.ts'
import type { DenoKv, KvEntry, KvKey } from './kv.ts'
import type { Partition, Places } from './places.ts'
import type { Table } from '../storage.ts'
import { storedIn } from './stored.ts'

/**
 * A removal of more rows than one commit takes. The commit that asks for it writes down the ranges, and from then on nobody
 * reads or writes the partition before it was swept: by whoever comes first, in commits that each hold what is still there.
 * Rows that were put by that same commit have its stamp, and stay.
 */
export async function sweep(kv: DenoKv, places: Places, partition: Partition): Promise<void> {
  const asked = await kv.get(places.sweep(partition))
  if (asked.versionstamp === null) return
  const begin = (): Changes => new Changes().check(asked.key as KvKey, asked.versionstamp)
  let changes = begin()
  for await (const [table, entry] of rowsIn(kv, places, partition, asked.value as readonly GoneRange[])) {
    if (entry.versionstamp === asked.versionstamp) continue
    const gone = await entriesToGo(table, entry)
    if (!changes.fits(gone)) {
      // Another one has swept it meanwhile.
      if ((await changes.commit(kv)) === undefined) return
      changes = begin()
    }
    changes.delete(...gone)
  }
  await changes
    .delete(asked.key as KvKey)
    .set(places.revision(partition), '')
    .commit(kv)

  /** Without its alias, where the commit has given that to another row. */
  async function entriesToGo(table: Table, entry: KvEntry): Promise<KvKey[]> {
    const gone = entriesOf(places, partition, table, entry)
    const { alias } = storedIn(entry) ?? {}
    if (!alias) return gone
    const place = places.alias(partition, alias)
    const { versionstamp } = await kv.get(place)
    if (versionstamp !== asked.versionstamp) return gone
    return gone.filter((key) => key.length !== place.length || key.some((part, i) => part !== place[i]))
  }
}

/** Leaves no trace of a partition whose last row has gone. */
export async function forgetIfEmpty(kv: DenoKv, places: Places, partition: Partition): Promise<void> {
  const place = places.revision(partition)
  const { versionstamp } = await kv.get(place)
  for await (const _ of kv.list(places.anyRow(partition), { limit: 1 })) return
  if (versionstamp !== null) await new Changes().check(place, versionstamp).delete(place).commit(kv)
}
