import { birthKey, FAMILY_KEY, metaNameOf } from '../../storage/keys.ts'
import { compareKeys, type Key, type Row } from '../../storage/storage.ts'
import { openBirth, type Birth } from '../rows/birth-row.ts'
import { openGone } from '../rows/gone-row.ts'
import { openMeta } from '../rows/meta-row.ts'
import { unseal } from '../rows/seal.ts'
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
  const wrong = readingOf(partition, 'meta', row, () => open(partition, row))
  if (wrong) return [wrong]
  const name = metaNameOf(row.key)
  if (name === undefined)
    return [
      {
        ...about,
        kind: 'unknown',
        problem: `A row '${row.key[0]}' means nothing to this version; it is left alone.`,
      },
    ]
  if (name === 'losses') return [{ ...about, ...problemOfLoss(partition, row) }]
  const birth = births.find(({ lane }) => compareKeys(birthKey(lane), row.key) === 0)
  return birth && now.isWhole ? checkBirth(now, birth) : []
}

function open(partition: string, row: Row): unknown {
  const name = metaNameOf(row.key)
  if (name === undefined) return unseal(partition, 'meta', row)
  if (name === 'lane') return openBirth(partition, row)
  return name === 'gone' ? openGone(partition, row) : openMeta(name, partition, row)
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
