import { CheckpointerError } from '../../errors.ts'
import type { Place } from '../host.ts'
import type { Store } from '../store/store.ts'

/** Once more when there was no room, and retention has made some: it holds its turn, so that none passes it. */
export async function withRoom<T>(store: Store, place: Place, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!CheckpointerError.is(error, 'QUOTA') || !(await store.keeper.makeRoom(place))) throw error
    return work()
  }
}
