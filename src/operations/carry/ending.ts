import { endOne } from '../store/paged.ts'
import type { Store } from '../store/store.ts'
import { clearUnfinished } from './import/clear.ts'

/** Lets go of an export, of a repair, or of an import and all that it has staged, unless that is decided. */
export async function endCarry(store: Store, { id }: { readonly id: string }): Promise<void> {
  // Begun in a worker that was lost: then its rows are known by their id alone.
  if (!(await endOne(store, id))) await clearUnfinished(store, id)
}
