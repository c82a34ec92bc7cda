import { checkpointKey, seqOf, writePartsOf } from '../../storage/keys.ts'
import type { Key, Query, Row } from '../../storage/storage.ts'
import { laneOf, shows } from '../rows/lanes.ts'
import type { Store } from '../store/store.ts'
import { openWrite } from '../rows/write-row.ts'
import type { Finding, Found } from './finding.ts'
import { findingOf, lastOf, look, pageOf, type Look } from './look.ts'
import type { Pause } from '../../state/slices/pause.ts'

const PAGE = 32

/** Pending writes: each by itself, with its parts, and whether it belongs to a checkpoint. */
export async function checkWrites(
  store: Store,
  partition: string,
  after: Key | undefined,
  pause: Pause,
): Promise<Found> {
  const page = pageOf('writes', after, PAGE)
  const { family, rows: first } = await look(store, partition, [page])
  const places = placesOf(first[0] ?? [])
  const checkpoints: Query = {
    table: 'checkpoints',
    keys: places.flatMap(([lane, seq]) => {
      const own = family.threads.find(({ facts }) => facts.lane === lane)
      return own ? [checkpointKey(laneOf(own.facts.segments, seq).lane, seq)] : []
    }),
  }
  const parts = places.map(([lane, seq]): Query => ({ table: 'parts', ...writePartsOf(lane, seq) }))
  const now = await look(store, partition, [page, checkpoints, ...parts])
  const [rows = [], standing = [], ...pieces] = now.rows
  const findings: Finding[] = []
  for (const row of rows) {
    await pause()
    const at = places.findIndex(([lane, seq]) => lane === row.key[0] && seq === row.key[1])
    // It came between the two looks: what belongs to it was not asked for.
    if (at < 0) continue
    findings.push(...(await checkWrite(now, row, standing, pieces[at] ?? [], pause)))
  }
  return { checked: rows.length, findings, ...lastOf(rows, PAGE) }
}

function placesOf(rows: readonly Row[]): (readonly [lane: string, seq: number])[] {
  const places = new Map(
    rows.map(({ key }) => [`${key[0]}/${key[1]}`, [String(key[0]), seqOf(key)] as const]),
  )
  return [...places.values()]
}

async function checkWrite(
  { family, isWhole }: Look,
  row: Row,
  checkpoints: readonly Row[],
  parts: readonly Row[],
  pause: Pause,
): Promise<Finding[]> {
  const { partition, threads } = family
  const [lane, seq] = [String(row.key[0]), seqOf(row.key)]
  const owner = threads.find(({ facts }) => facts.lane === lane)?.facts
  const place = owner ? { thread: owner.thread, namespace: owner.namespace } : {}
  const wrong = await openWrite(partition, row, parts, pause).then(
    () => undefined,
    (error: unknown) => findingOf(partition, 'writes', row, error),
  )
  if (wrong) return [{ ...wrong, ...place }]
  if (!owner && !isWhole) return []
  const its = owner && laneOf(owner.segments, seq).lane
  const stands = checkpoints.some(({ key }) => key[0] === its && key[1] === seq)
  if (owner && its && shows(owner.segments, its, seq) && stands) return []
  const problem = `A pending write stands at checkpoint ${seq}, which is not there.`
  return [{ kind: 'orphaned', table: 'writes', partition, row, ...place, seq, problem }]
}
