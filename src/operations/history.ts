import { CheckpointerError } from '../errors.ts'
import { equalJson } from '../state/json.ts'
import { byRef, needCheckpoint, newestFirst, oldestFirst } from './find.ts'
import { missingLink, packFrames, readFrames } from './frames/frames.ts'
import type { Frames, HistoryReply, HistoryRequest, HistoryWhere } from './host.ts'
import { infoOf, type CheckpointFacts, type CheckpointRow } from './rows/checkpoint-row.ts'
import { laneOf } from './rows/lanes.ts'
import type { ThreadRow } from './rows/thread-row.ts'
import { readWhole, type Store } from './store.ts'

/** A page never looks at more rows than this, however few fit the filter, so that each stays quick. */
const MOST_LOOKED_AT = 2000

/** One page of a thread's checkpoints. */
export async function history(store: Store, request: HistoryRequest): Promise<HistoryReply> {
  return (await readWhole(store, request, (thread) => readPage(store, thread, request))) ?? { items: [] }
}

async function readPage(store: Store, thread: ThreadRow, request: HistoryRequest): Promise<HistoryReply> {
  const from = request.after === undefined ? 0 : (await seqFor(store, thread, request.after)) + 1
  const to =
    request.before === undefined
      ? Number.MAX_SAFE_INTEGER - 1
      : (await seqFor(store, thread, request.before)) - 1
  const page = request.where ? 256 : request.limit + 1
  const walk = request.order === 'newest' ? newestFirst : oldestFirst
  const found: CheckpointRow[] = []
  let looked = 0
  let next: number | undefined
  for await (const row of walk(store, thread, { from, to, page })) {
    if (found.length === request.limit || looked === MOST_LOOKED_AT) {
      next = row.seq
      break
    }
    looked++
    if (fits(row.facts, request.where)) found.push(row)
  }
  const frames = request.states && found.length > 0 ? await framesOf(store, thread, found) : undefined
  return {
    items: found.map((row) => infoOf(row.facts)),
    ...(frames ? { frames } : {}),
    ...(next === undefined ? {} : { next }),
    ...(request.before === undefined ? {} : { before: to + 1 }),
    ...(request.after === undefined ? {} : { after: from - 1 }),
  }
}

/** `before` and `after` take a seq that need not exist (it may have been pruned), or the id of one that does. */
async function seqFor(store: Store, thread: ThreadRow, ref: number | string): Promise<number> {
  return typeof ref === 'number' ? ref : (await needCheckpoint(store, thread, byRef(ref))).seq
}

async function framesOf(store: Store, thread: ThreadRow, found: readonly CheckpointRow[]): Promise<Frames> {
  const { partition, facts } = thread
  const from = Math.min(...found.map((row) => row.facts.frame.root))
  const to = Math.max(...found.map((row) => row.seq))
  const rows = await readFrames(store, partition, facts.segments, from, to)
  const chains = found.map(({ seq }) => {
    const chain = rows.chain(laneOf(facts.segments, seq).lane, seq)
    if (!chain)
      throw new CheckpointerError('CORRUPT', missingLink(seq).message, {
        thread: facts.thread,
        namespace: facts.namespace,
        seq,
      })
    return chain
  })
  return packFrames(rows, chains)
}

function fits(facts: CheckpointFacts, where: HistoryWhere | undefined): boolean {
  if (!where) return true
  const { extra, ...fields } = where
  for (const name of ['runId', 'node', 'source', 'label', 'step', 'workflow'] as const) {
    if (fields[name] !== undefined && facts[name] !== fields[name]) return false
  }
  return (extra ?? []).every(([name, value]) =>
    facts.extra?.some(([its, held]) => its === name && equalJson(held, value)),
  )
}
