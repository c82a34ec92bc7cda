import { CheckpointerError } from '../../errors.ts'
import type { Place } from '../host.ts'
import type { Store } from '../store/store.ts'

/** Before each try after the first, in milliseconds: browsers give back what was deleted a moment after its commit. */
const PAUSES = [0, 50, 250]

/** Once more when there was no room, and retention has made some: it holds its turn, so that none passes it. */
export async function withRoom<T>(store: Store, place: Place, work: () => Promise<T>): Promise<T> {
  for (let tried = 0; ; tried++) {
    try {
      return await work()
    } catch (error) {
      const pause = PAUSES[tried]
      if (!CheckpointerError.is(error, 'QUOTA') || pause === undefined) throw error
      if (tried === 0 && !(await store.keeper.makeRoom(place))) throw error
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
}
