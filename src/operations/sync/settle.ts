import type { StoredRun, SyncHead, SyncTakeRequest } from '../host.ts'
import type { CheckpointFacts } from '../rows/checkpoint-row.ts'
import { countable } from '../rows/countable.ts'
import { headsOf, type ThreadFacts, type Tip } from '../rows/thread-row.ts'

/** What is known when a namespace has taken in some checkpoints of another store. */
interface Settling extends Pick<SyncTakeRequest, 'heads' | 'past' | 'left' | 'isLast'> {
  /** Those that were not here before. */
  readonly fresh: readonly CheckpointFacts[]
  /** One that is here, fresh or not. */
  readonly find: (id: string) => Promise<CheckpointFacts | undefined>
}

/**
 * Which heads a namespace has now. A head of ours stays unless the giver has it and has gone on from it; one of the
 * giver's comes along when it was not here before: else we have gone on from it. The head itself moves only when it is
 * one of those that go; what stays beside it are branches, of which the caller chooses one.
 */
export async function settled(facts: ThreadFacts, settling: Settling): Promise<ThreadFacts> {
  const { past, left, fresh, find, isLast } = settling
  const heads = counted(settling.heads)
  const own = headsOf(facts)
  const gone = new Set(past)
  // What runs here goes on here, whatever others did meanwhile; unless it was they who ran it.
  const { run } = facts
  const isRunning = hasRunner(run, left) && !heads.some((head) => head.run?.turn === run?.turn)
  const kept = own.filter(({ id }, i) => !gone.has(id) || (i === 0 && isRunning))
  const known = new Set(kept.map(({ id }) => id))
  const isFresh = new Set(fresh.map(({ id }) => id))
  const came = await placed(
    heads.filter(({ id }) => isFresh.has(id) && !known.has(id)),
    find,
  )
  let now = [...kept, ...came]
  if (now.length === 0 && isLast) {
    // Each has gone on from what the other holds to: both have chosen, and not the same.
    const both = await placed(
      heads.filter(({ id }) => !own.some((each) => each.id === id)),
      find,
    )
    now = [...own, ...both]
  }
  if (now.length === 0) {
    const last = fresh.at(-1)
    now = own.length > 0 || !last ? own : [{ seq: last.seq, id: last.id }]
  }
  return withHeads(facts, withRuns(now, heads, left), find)
}

/** With the seqs that they have here. */
async function placed(heads: readonly SyncHead[], find: Settling['find']): Promise<Tip[]> {
  const found: Tip[] = []
  for (const { id, run } of heads) {
    const here = await find(id)
    if (here) found.push({ seq: here.seq, id, ...(run ? { run: elsewhere(run) } : {}) })
  }
  return found
}

/** Of a head that both have, how its run stood last. One that runs here knows best. */
const withRuns = (tips: readonly Tip[], heads: readonly SyncHead[], left: string | undefined): Tip[] =>
  tips.map((tip) => {
    const theirs = heads.find(({ id }) => id === tip.id)?.run
    return theirs && isLater(theirs, tip.run, left) ? { ...tip, run: answeredOr(theirs, tip.run) } : tip
  })

const isLater = (theirs: StoredRun, own: StoredRun | undefined, left: string | undefined): boolean =>
  !own || (theirs.at > own.at && (!hasRunner(own, left) || own.turn === theirs.turn))

const hasRunner = (run: StoredRun | undefined, left: string | undefined): boolean =>
  run?.status === 'running' && run.turn !== left

/** What waits here was answered there: it goes on here. */
const answeredOr = (theirs: StoredRun, own: StoredRun | undefined): StoredRun =>
  own?.status === 'waiting' && own.turn === theirs.turn ? theirs : elsewhere(theirs)

/** Its runner is not to be seen from here. Nobody takes it over for an orphan: who wants to, resumes it. */
const elsewhere = (run: StoredRun): StoredRun =>
  run.status === 'running' ? { ...run, status: 'stopped', why: 'It was running in another store.' } : run

/** What comes after it is dated after it. */
const counted = (heads: readonly SyncHead[]): SyncHead[] =>
  heads.map((head) => (head.run ? { ...head, run: { ...head.run, at: countable(head.run.at) } } : head))

async function withHeads(
  facts: ThreadFacts,
  now: readonly Tip[],
  find: Settling['find'],
): Promise<ThreadFacts> {
  const [first, ...others] = now
  const { head: before, tips: _tips, run: _run, ...rest } = facts
  const head = first && (first.id === before?.id ? before : await find(first.id))
  if (!head) return facts
  const isLast = head.seq === facts.next - 1
  const tips = others.length > 0 || !isLast ? { tips: others } : {}
  const isSame = JSON.stringify(now) === JSON.stringify(headsOf(facts))
  if (isSame && (facts.tips || !('tips' in tips))) return facts
  return { ...rest, head, ...tips, ...(first.run ? { run: first.run } : {}) }
}
