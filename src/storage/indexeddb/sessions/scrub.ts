import { deleteDB, openDB } from 'idb'
import { isChromium } from '../../../platform/engine.ts'
import type { Past } from './past.ts'

/** No database of anybody's: ours have a colon there. */
const SCRATCH = 'forkpoint-scratch'
/** Another tab that is at the same may be frozen. In milliseconds. */
const MOST_WAITED = 1_000

/** Only Chromium has that log, and nobody can ask it which of its two stores it uses. */
export const isScrubNeeded = ({ unclean }: Past): boolean => unclean && isChromium()

/**
 * A killed Chromium may leave its LevelDB log with a torn record at the end, goes on writing behind that, and at the
 * next start gives up all databases of the origin (https://github.com/google/leveldb/issues/1287; 11 of 11 here). When a
 * database is deleted it begins another log, as it wants its space back: 8 ms after one was made for that, the torn
 * one is gone. Gives whether that was done.
 */
export async function scrub(): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), MOST_WAITED)))
  const done = await Promise.race([makeAndDelete(), late])
  clearTimeout(timer)
  return done
}

async function makeAndDelete(): Promise<boolean> {
  try {
    const made = await openDB(SCRATCH)
    made.close()
    await deleteDB(SCRATCH)
    return true
  } catch {
    // The next session finds the same, and does it.
    return false
  }
}
