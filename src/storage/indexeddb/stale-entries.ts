import type { Connection } from './connection.ts'
import { writtenInTime } from './patience.ts'
import { isChromium } from '../../platform/engine.ts'

/** After so many commits, most of which put the row of a thread again, its old entries are thrown away. */
export const MOST_STALE = isChromium() ? 64 : Number.POSITIVE_INFINITY
/** As far as a page of the list of threads goes, and some more. */
const PASSED = 128

/**
 * Chromium leaves the old entry of an index where it is when its row is put again. Each list passes it from then on (a list of
 * 50 took 0.5 ms at first and 1.7 after 1,200 saves), and only a transaction that may write throws it away on the way.
 */
export async function dropStale(connection: Connection): Promise<void> {
  const { tx } = await connection.begin(['threads', 'session'], 'readwrite', 'relaxed')
  const passed = tx.objectStore('threads').index('latest').getAllKeys(null, PASSED)
  await writtenInTime(
    tx,
    passed.then(() => tx.done),
  )
}
