import { checkpointKey, isPartOfWrite, ownerOfPart, seqOf, seqRange } from '../../storage/keys.ts'
import { compareKeys, type Key, type Query, type Row } from '../../storage/storage.ts'
import { openCheckpoint } from '../rows/checkpoint-row.ts'
import { openPart } from '../rows/payload.ts'
import type { Store } from '../store/store.ts'
import { unlessUnread } from '../store/unread.ts'
import { namedParts } from '../rows/write-row.ts'
import { expectedIn } from './expected.ts'
import type { Finding, Found } from './finding.ts'
import { lastOf, look, pageOf, readingOf, type Look } from './look.ts'
import type { Pause } from '../../state/slices/pause.ts'

/** Parts are as large as rows get. */
const PAGE = 4
/** A writer that has written a part ahead, and not yet the row that names it, is not as slow as this. */
const SURELY_LEFT_MS = 60 * 60 * 1000

/** Parts: each by itself, and whether a row names it. */
export async function checkParts(
  store: Store,
  partition: string,
  after: Key | undefined,
  pause: Pause,
): Promise<Found> {
  const page = pageOf('parts', after, PAGE)
  const [first = []] = await store.storage.read(partition, [page])
  const around = first.flatMap(({ key }): Query[] => {
    const [lane, seq] = [String(key[0]), seqOf(key)]
    return [
      { table: 'checkpoints', keys: [checkpointKey(lane, seq)] },
      { table: 'writes', ...seqRange(lane, seq, seq) },
    ]
  })
  const now = await look(store, partition, [page, ...around])
  const [rows = [], ...beside] = now.rows
  const findings: Finding[] = []
  for (const row of rows) {
    await pause()
    const at = first.findIndex(({ key }) => compareKeys(key, row.key) === 0)
    if (at < 0) continue
    const [checkpoints = [], writes = []] = beside.slice(2 * at, 2 * at + 2)
    findings.push(...checkPart(now, row, checkpoints[0], writes))
  }
  return { checked: rows.length, findings, ...lastOf(rows, PAGE) }
}

function checkPart(
  { family, isWhole }: Look,
  row: Row,
  checkpoint: Row | undefined,
  writes: readonly Row[],
): Finding[] {
  const { partition, threads } = family
  const wrong = readingOf(partition, 'parts', row, () => openPart(partition, row))
  if (wrong) return [wrong]
  const named = isPartOfWrite(row.key)
    ? writes.map((write) => unlessUnread(() => namedParts(partition, write)))
    : checkpoint
      ? [unlessUnread(() => openCheckpoint(partition, checkpoint).facts.frame.parts ?? null)]
      : []
  // What names it may be one that cannot be read.
  if (named.includes(undefined)) return []
  const [owner, number] = [ownerOfPart(row.key), Number(row.key[3])]
  if (named.some((parts) => parts && parts[0] === owner && number < parts[1])) return []
  const [lane, seq] = [String(row.key[0]), seqOf(row.key)]
  const about = { table: 'parts', partition, row, seq } as const
  const [lost] = isPartOfWrite(row.key) || checkpoint ? [] : expectedIn(threads, lane, seq, seq)
  if (lost) {
    const { thread, namespace } = lost.thread.facts
    const problem = `A part is there of checkpoint ${seq}, which is missing.`
    return [{ ...about, kind: 'orphaned', thread, namespace, problem }]
  }
  if (!isWhole || Date.now() - openPart(partition, row).at < SURELY_LEFT_MS) return []
  return [{ ...about, kind: 'orphaned', isLeftOver: true, problem: `A part at ${seq} is named by no row.` }]
}
