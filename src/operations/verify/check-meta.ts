import { birthKey, FAMILY_KEY, isOfLoss, META_NAMES } from '../../storage/keys.ts'
import { compareKeys, type Key, type Row } from '../../storage/storage.ts'
import { type Birth } from '../rows/birth-row.ts'
import { problemOfLoss } from '../lost.ts'
import type { Store } from '../store/store.ts'
import type { Finding, Found } from './finding.ts'
import { lastOf, look, pageOf, readingOf, type Look } from './look.ts'
import type { Pause } from '../../state/slices/pause.ts'

/** What was set aside stands here too, and is as large as rows get. */
const PAGE = 4

/** What a family knows of itself: each row, and whether the threads are there that lanes were made for. */
export async function checkMeta(
  store: Store,
  partition: string,
  after: Key | undefined,
  pause: Pause,
): Promise<Found> {
  const now = await look(store, partition, [
    pageOf('meta', after, PAGE),
    { table: 'meta', keys: [FAMILY_KEY] },
  ])
  const [rows = [], family = []] = now.rows
  const findings: Finding[] = []
  for (const row of rows) {
    await pause()
    findings.push(...checkMetaRow(now, row))
  }
  if (after === undefined && family.length === 0 && now.family.threads.length > 0) {
    const problem = 'The row that guards who shows what is not there.'
    findings.push({ kind: 'missing', table: 'meta', partition, problem })
  }
  return { checked: rows.length, findings, ...lastOf(rows, PAGE) }
}

function checkMetaRow(now: Look, row: Row): Finding[] {
  const { partition, births } = now.family
  const about = { table: 'meta', partition, row } as const
  const name = String(row.key[0])
  const wrong = readingOf(partition, 'meta', row)
  if (wrong) return [wrong]
  if (!META_NAMES.has(name))
    return [
      {
        ...about,
        kind: 'unknown',
        problem: `A row '${name}' means nothing to this version; it is left alone.`,
      },
    ]
  if (isOfLoss(row.key)) return [{ ...about, ...problemOfLoss(row) }]
  const birth = births.find(({ lane }) => compareKeys(birthKey(lane), row.key) === 0)
  return birth && now.isWhole ? checkBirth(now, birth) : []
}

/** A lane without its thread. */
function checkBirth({ family }: Look, { lane, facts, row }: Birth): Finding[] {
  const { partition, threads } = family
  if (threads.some((thread) => thread.facts.lane === lane)) return []
  const { thread, namespace } = facts
  return [
    {
      kind: 'missing',
      table: 'threads',
      partition,
      row,
      thread,
      namespace,
      problem: `The row of this thread, which writes into the lane ${lane}, is not there.`,
    },
  ]
}
