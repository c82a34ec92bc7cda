import { underWay, type Paged } from '../store/paged.ts'
import type { Store } from '../store/store.ts'
import { clearUnfinished } from './import/clear.ts'

/** Lets go of an export, of a repair, or of an import and all that it has staged. */
export async function endCarry(store: Store, { id }: { readonly id: string }): Promise<void> {
  const going = Object.values(underWay(store)) as Map<string, Paged<unknown>>[]
  const carry = going.map((paged) => paged.get(id)).find((each) => each !== undefined)
  for (const paged of going) paged.delete(id)
  // Begun in a worker that was lost: then its rows are known by their id alone.
  await (carry ? carry.end() : clearUnfinished(store, id))
}
