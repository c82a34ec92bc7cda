import type { CheckpointerError } from '../../errors.ts'
import { anyRows, checkpointAlias, partsOf, seqOf } from '../../storage/keys.ts'
import type { Key, Query, Row } from '../../storage/storage.ts'
import type { Family } from '../store/family.ts'
import { FrameRows, frameQueries, missingLink, rowName } from '../frames/frames.ts'
import { openCheckpoint, type CheckpointRow } from '../rows/checkpoint-row.ts'
import { shows } from '../rows/lanes.ts'
import type { Store } from '../store/store.ts'
import { isUnread, unlessUnread } from '../store/unread.ts'
import type { Finding, Found } from './finding.ts'
import { missingBetween } from './gaps.ts'
import { isSame, look, pageOf, readingOf } from './look.ts'
import type { Pause } from '../../state/slices/pause.ts'
import { reachOf } from './reach.ts'
import { States } from './states.ts'

/** So few that the page is not felt to be busy where it does this itself: each row is asked for by its id as well. */
const PAGE = 32
/** Payloads to fold in one step; a single one may be larger. */
const MOST_BYTES = 512 * 1024

/** The rows of checkpoints, every state down its chain, and what must stand between two rows. */
export async function checkCheckpoints(
  store: Store,
  partition: string,
  after: Key | undefined,
  pause: Pause,
): Promise<Found> {
  const page = await firstLook(store, partition, after)
  const { family, isWhole, rows: found } = await look(store, partition, [page.range, ...page.queries])
  const [rows = [], ...beside] = found
  const aliased = beside.splice(0, page.rows.length)
  const links = beside.splice(0, page.chains).flat()
  const states = new States(new FrameRows(partition, [...rows, ...links], beside.flat()))
  const findings = missingBetween(family, rows, after, page.isLast)
  for (const row of rows) {
    await pause()
    const at = page.rows.findIndex((seen) => isSame(seen, row))
    findings.push(...(await checkRow(family, isWhole, row, at < 0 ? undefined : states, pause, aliased[at])))
  }
  const last = page.isLast ? undefined : page.rows.at(-1)?.key
  return { checked: 2 * rows.length, findings, ...(last ? { last } : {}) }
}

interface FirstLook {
  /** Of one lane, and no more than can be folded in one step. */
  readonly rows: readonly Row[]
  readonly isLast: boolean
  /** All that stands from the last page to the end of this one. */
  readonly range: Query
  /** Each row by its id; the chains, so many queries; and their parts. */
  readonly queries: readonly Query[]
  readonly chains: number
}

/** Finds out what has to be read at one moment to judge the next few rows. */
async function firstLook(store: Store, partition: string, after: Key | undefined): Promise<FirstLook> {
  const query = pageOf('checkpoints', after, PAGE)
  const { family, rows: found } = await look(store, partition, [query])
  const all = (found[0] ?? []).map((row): Seen => ({ row, opened: openIn(partition, row) }))
  const seen = atOnce(all)
  const rows = seen.map(({ row }) => row)
  const isLast = seen.length === all.length && all.length < PAGE
  const end = rows.at(-1)?.key
  const { from, to } = anyRows(after)
  const range: Query = { table: 'checkpoints', from, to: isLast || !end ? to : [...end, 0] }
  const opened = seen.flatMap((each) => each.opened ?? [])
  const [lowest] = opened
  const lane = String(rows[0]?.key[0] ?? '')
  const root = Math.min(...opened.map(({ seq, facts }) => Math.min(seq, facts.frame.root)))
  const reach = await reachOf(store, family, lane, lowest)
  const highest = Math.max(...opened.map(({ seq }) => seq))
  const chains = lowest
    ? frameQueries(reach, root, highest).filter(({ table }) => table === 'checkpoints')
    : []
  const links = (await store.storage.read(partition, chains)).flat()
  const used = chainsOf(new FrameRows(partition, [...rows, ...links], []), opened)
  const parts = used.flatMap(({ lane: its, seq, facts: { frame } }): Query[] =>
    frame.parts ? [{ table: 'parts', ...partsOf(its, seq, frame.parts[0]) }] : [],
  )
  const aliases = seen.map((each) => aliasQuery(each.opened))
  return { rows, isLast, range, queries: [...aliases, ...chains, ...parts], chains: chains.length }
}

interface Seen {
  readonly row: Row
  /** Absent where it is damaged. */
  readonly opened: CheckpointRow | undefined
}

/** Of the first lane, as many as weigh little enough together. */
function atOnce(all: readonly Seen[]): Seen[] {
  let bytes = 0
  return all.filter(({ row, opened }, i) => {
    bytes += opened?.facts.frame.size ?? 0
    return row.key[0] === all[0]?.row.key[0] && (i === 0 || bytes <= MOST_BYTES)
  })
}

function openIn(partition: string, row: Row): CheckpointRow | undefined {
  return unlessUnread(() => openCheckpoint(partition, row))
}

function chainsOf(frames: FrameRows, rows: readonly CheckpointRow[]): CheckpointRow[] {
  const links = rows.flatMap(({ lane, seq }) => unlessUnread(() => frames.chain(lane, seq)) ?? [])
  return [...new Map(links.map((link) => [rowName(link.lane, link.seq), link])).values()]
}

const aliasQuery = (opened: CheckpointRow | undefined): Query =>
  opened
    ? { table: 'checkpoints', alias: checkpointAlias(opened.lane, opened.facts.id) }
    : { table: 'checkpoints', keys: [] }

/** A row by itself, its state, its place in the index, and whose it is: told once for each thread that shows it. */
async function checkRow(
  family: Family,
  isWhole: boolean,
  row: Row,
  states: States | undefined,
  pause: Pause,
  aliased: readonly Row[] = [],
): Promise<Finding[]> {
  const { partition } = family
  const [lane, seq] = [String(row.key[0]), seqOf(row.key)]
  const shown = family.threads.filter(({ facts }) => shows(facts.segments, lane, seq))
  const each = (finding: Finding): Finding[] =>
    shown.length === 0
      ? [finding]
      : shown.map(({ facts: { thread, namespace } }) => ({ ...finding, thread, namespace }))
  const about = { table: 'checkpoints', partition, row, seq } as const
  const wrong = readingOf(partition, 'checkpoints', row, () => openCheckpoint(partition, row))
  if (wrong) return each(wrong)
  const findings: Finding[] = []
  if (states && shown.length > 0) {
    const reason = await reasonOf(async () => {
      await states.get(lane, seq, pause)
      const { root } = openCheckpoint(partition, row).facts.frame
      // A load reads from the root on.
      if (states.lowest(lane, seq) < root) throw missingLink(seq)
    })
    if (reason) {
      // What stands on a row of a later version is as sound as that.
      const kind = reason.code === 'FORMAT_TOO_NEW' ? 'newer' : 'unreadable'
      const problem = `Checkpoint ${seq} cannot be read: ${reason.message}`
      findings.push(...each({ ...about, kind, problem }))
    }
  }
  if (states && !aliased.some((found) => isSame(found, row)))
    findings.push(...each({ ...about, kind: 'index', problem: `Checkpoint ${seq} is not found by its id.` }))
  if (shown.length === 0 && isWhole && !family.sweep.includes(lane)) {
    const isLeftOver = family.threads.some(({ facts }) => facts.lane === lane)
    const problem = `Checkpoint ${seq} in the lane ${lane} is shown by no thread.`
    findings.push({ ...about, kind: 'orphaned', problem, ...(isLeftOver ? { isLeftOver } : {}) })
  }
  return findings
}

async function reasonOf(work: () => Promise<void>): Promise<CheckpointerError | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (!isUnread(error)) throw error
    return error
  }
}
