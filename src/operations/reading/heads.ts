import type { HeadsReply, Place } from '../host.ts'
import { infoOf } from '../rows/checkpoint-row.ts'
import { tipRows } from '../store/find.ts'
import type { Store } from '../store/store.ts'
import { readThread } from '../store/threads.ts'

/** The head, and those that another store has brought: none of them follows another. */
export async function heads(store: Store, place: Place): Promise<HeadsReply> {
  const row = await readThread(store, place)
  if (!row?.facts.head) return { heads: [] }
  const beside = await tipRows(store, row)
  return { heads: [row.facts.head, ...beside.map(({ facts }) => facts)].map(infoOf) }
}
