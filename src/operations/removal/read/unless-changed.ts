import { CheckpointerError } from '../../../errors.ts'
import { LOST_RACE } from '../../store/commit.ts'
import { readFamily, type Family } from '../../store/family.ts'
import type { Store } from '../../store/store.ts'

/** A removal that passes between our reads looks like damage; then the family's row is another one. */
export async function unlessChanged<T>(
  store: Store,
  family: Family,
  work: () => Promise<T>,
): Promise<T | typeof LOST_RACE> {
  try {
    return await work()
  } catch (error) {
    if (!CheckpointerError.is(error, 'CORRUPT')) throw error
    if ((await readFamily(store, family.partition)).version === family.version) throw error
    return LOST_RACE
  }
}
