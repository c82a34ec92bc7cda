import {
  DATABASE_PARTITION,
  goneKey,
  goneRows,
  nameOfGone,
  removedKey,
  removedRows,
} from '../../storage/keys.ts'
import { randomName } from '../../platform/random.ts'
import type { Put } from '../../storage/storage.ts'
import type { SaveName } from '../host.ts'
import { openGone, type GoneRow, type RemovalMade } from '../rows/gone-row.ts'
import type { GoneFacts } from '../rows/meta-row.ts'
import { seal } from '../rows/seal.ts'
import { inCommits } from './commit.ts'
import type { Store } from './store.ts'
import { unlessDamaged } from './unread.ts'

/** A row holds so many bytes of names, which any storage takes. */
const ROW_BYTES = 4 * 1024

const encoder = new TextEncoder()

/** Names a removal, in all stores: later ones mostly compare greater. */
export const newGoneName = (): string => Date.now().toString(36).padStart(9, '0') + randomName(10)

export async function writeGone(store: Store, thread: string, gone: GoneRow): Promise<void> {
  const puts = [...pieces(gone.saves)].map((body, i): Put => {
    const key = goneKey(thread, i === 0 ? gone.name : `${gone.name}-${i}`)
    const { isOwn, by } = gone
    const facts: GoneFacts = {
      ...(isOwn ? { own: true } : {}),
      ...(by ? { by: [by.partition, by.name] } : {}),
    }
    return { table: 'meta', key, head: seal(DATABASE_PARTITION, 'meta', key, facts, body), body }
  })
  for (const some of inCommits(
    store.storage.limits,
    puts.map((put) => ({ puts: [put] })),
  ))
    await store.storage.commit(DATABASE_PARTITION, { puts: some.puts })
}

function* pieces(saves: GoneRow['saves']): Generator<Uint8Array> {
  let some: string[] = []
  let length = 0
  for (const { namespace, id, key } of saves) {
    const text = JSON.stringify(key === undefined ? [namespace, id] : [namespace, id, key])
    // No text of JSON has more bytes than thrice its length.
    if (some.length > 0 && length + text.length * 3 > ROW_BYTES) {
      yield encoder.encode(`[${some.join()}]`)
      some = []
      length = 0
    }
    some.push(text)
    length += text.length + 1
  }
  if (some.length > 0) yield encoder.encode(`[${some.join()}]`)
}

/** What was let go to save room here goes elsewhere as well, once this removal was made, or at once. */
export async function tellOwn(store: Store, thread: string, by: RemovalMade | undefined): Promise<void> {
  for (const gone of await readGone(store, thread))
    if (gone.isOwn) await writeGone(store, thread, { ...gone, isOwn: by !== undefined, by })
}

/** What was removed from a thread; what is damaged of it counts for nothing. */
export async function readGone(store: Store, thread: string): Promise<GoneRow[]> {
  const query = { table: 'meta', ...goneRows(thread) } as const
  const [rows = []] = await store.storage.read(DATABASE_PARTITION, [query])
  const written = rows.flatMap((row) => unlessDamaged(() => openGone(DATABASE_PARTITION, row)) ?? [])
  const made = new Map<string, ReadonlySet<string>>()
  for (const partition of new Set(written.flatMap(({ by }) => by?.partition ?? [])))
    made.set(partition, await madeIn(store, partition, thread))
  return written.flatMap((gone) => {
    const { by, isOwn } = gone
    if (!by) return gone
    if (made.get(by.partition)?.has(by.name)) return { ...gone, isOwn: false }
    return isOwn ? gone : []
  })
}

async function madeIn(store: Store, partition: string, thread: string): Promise<ReadonlySet<string>> {
  const [rows = []] = await store.storage.read(partition, [{ table: 'meta', ...removedRows(thread) }])
  return new Set(rows.map(({ key }) => nameOfGone(key)))
}

/** For the commit that makes the removal: from then on what was written down of it holds. */
export function removedPut(thread: string, { partition, name }: RemovalMade): Put {
  const key = removedKey(thread, name)
  return { table: 'meta', key, head: seal(partition, 'meta', key, {}) }
}

/** A removal of this name was not made, and never will be. */
export async function takeBackGone(store: Store, thread: string, name: string): Promise<void> {
  const range = { from: goneKey(thread, name), to: goneKey(thread, `${name}~`) }
  await store.storage.commit(DATABASE_PARTITION, { deleteRanges: [{ table: 'meta', ...range }] })
}

/** Tells the saves of a thread apart, whatever has had their ids. */
export const saveText = (namespace: string, { id, key = id }: SaveName): string =>
  JSON.stringify([namespace, key])

/** Of all namespaces of a thread; what the giver has heard of, and shows in spite of it, was made anew since. */
export async function goneSaves(
  store: Store,
  thread: string,
  heard: readonly string[] = [],
): Promise<ReadonlySet<string>> {
  const rows = (await readGone(store, thread)).filter(({ name, isOwn }) => isOwn || !heard.includes(name))
  return new Set(rows.flatMap(({ saves }) => saves.map((save) => saveText(save.namespace, save))))
}
