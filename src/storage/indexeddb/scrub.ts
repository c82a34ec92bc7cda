import type { Connection } from './connection.ts'
import type { Past } from './past.ts'
import { rowsOfSession } from './schema.ts'
import { writeSessionRows } from './session-rows.ts'

/**
 * A killed Chromium may leave its LevelDB log with a torn record at the end, goes on writing behind that, and at the
 * next start gives up the whole database (https://github.com/google/leveldb/issues/1287; 11 of 11 here). Two
 * megabytes of new rows make it begin another log (18 of 18 kept); each is small enough to go into the log itself.
 */
const ROWS = 64
const ROW_BYTES = 32 * 1024
const ROWS_AT_ONCE = 8

/** Only Chromium has that log, and nobody can ask it which of its two stores it uses. */
export const isScrubNeeded = ({ unclean }: Past): boolean => unclean && isChromium()

/** Writes the rows, deletes them, and with them what dead sessions have left. Saves may go on between. */
export async function scrub(connection: Connection, session: string, { dead }: Past): Promise<void> {
  for (let from = 1; from <= ROWS; from += ROWS_AT_ONCE) {
    const numbers = Array.from({ length: ROWS_AT_ONCE }, (_, i) => from + i)
    await writeSessionRows(
      connection,
      (store) =>
        numbers.map((number) =>
          store.put({ session, number, noise: crypto.getRandomValues(new Uint8Array(ROW_BYTES)) }),
        ),
      'relaxed',
    )
    // Whoever waits to save goes first.
    await new Promise((resolve) => setTimeout(resolve, 0))
  }
  const scratch = IDBKeyRange.bound([session, 1], [session, ROWS])
  await writeSessionRows(connection, (store) =>
    [scratch, ...dead.map(rowsOfSession)].map((range) => store.delete(range)),
  )
}

function isChromium(): boolean {
  const here = globalThis.navigator as
    | { userAgent?: string; userAgentData?: { brands?: readonly { brand: string }[] } }
    | undefined
  const { brands } = here?.userAgentData ?? {}
  return brands
    ? brands.some(({ brand }) => brand === 'Chromium')
    : /Chrom(e|ium)\//.test(here?.userAgent ?? '')
}
