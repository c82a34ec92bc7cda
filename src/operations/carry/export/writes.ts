import type { Pause } from '../../../state/slices/pause.ts'
import { seqRange } from '../../../storage/keys.ts'
import type { Row } from '../../../storage/storage.ts'
import { CheckpointerError } from '../../../errors.ts'
import { familyQuery } from '../../store/family.ts'
import { laneOf, shows } from '../../rows/lanes.ts'
import type { ThreadFacts } from '../../rows/thread-row.ts'
import type { Store } from '../../store/store.ts'
import { knownPartsOfWrite } from '../../store/parts-of-write.ts'
import { openWrite } from '../../rows/write-row.ts'
import { CHANGED, type Leaving } from './rows.ts'
import type { FamilyView } from './family-view.ts'
import { withPayload, type ExportLine } from '../lines.ts'

const WRITES_A_PAGE = 32

/** All pending writes of one thread's namespace. */
export async function* writeLines(
  store: Store,
  view: FamilyView,
  thread: ThreadFacts,
  leaving: Leaving,
  pause: Pause,
): AsyncGenerator<ExportLine | typeof CHANGED> {
  const { lane, next } = thread
  const { from: start, to } = seqRange(lane, 0, next - 1)
  for (let from = start; ;) {
    const query = { table: 'writes', from, to, limit: WRITES_A_PAGE } as const
    const [ahead = []] = await store.storage.read(view.partition, [query])
    const last = ahead.at(-1)
    if (!last) return
    const rows = ahead.filter(({ key }) => isWritten(view, thread, key[1] as number, leaving))
    const [family = [], again = [], ...parts] = await store.storage.read(view.partition, [
      familyQuery,
      { table: 'writes', keys: rows.map(({ key }) => key) },
      ...rows.flatMap((row) => knownPartsOfWrite(view.partition, row)),
    ])
    if (!(await view.holds(store, family[0]?.version))) {
      yield CHANGED
      return
    }
    // A negative index is written over; then it is read again.
    if (again.length !== rows.length || again.some((row, i) => row.version !== rows[i]?.version)) continue
    for (const row of again) {
      try {
        yield* await linesOf(view, row, parts.flat(), pause)
      } catch (error) {
        if (!CheckpointerError.is(error, 'CORRUPT')) throw error
        leaving.out(error)
      }
    }
    from = [...last.key, 0]
  }
}

/** Whether the checkpoint that it belongs to is in the file. */
function isWritten(view: FamilyView, { segments }: ThreadFacts, seq: number, leaving: Leaving): boolean {
  const { lane } = laneOf(segments, seq)
  return shows(segments, lane, seq) && !leaving.seqs.has(view.numberOf(lane), seq)
}

async function linesOf(
  view: FamilyView,
  row: Row,
  parts: readonly Row[],
  pause: Pause,
): Promise<Iterable<ExportLine>> {
  const [lane, seq] = row.key as [string, number]
  const { at, made, write } = await openWrite(view.partition, row, parts, pause)
  const { taskId, index, channel, body } = write
  const when = made === at ? { at } : { at, made }
  return withPayload({ kind: 'write', lane: view.numberOf(lane), seq, taskId, index, channel, ...when }, body)
}
