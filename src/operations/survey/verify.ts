import { CheckpointerError } from '../../errors.ts'
import { seqOf, seqRange, threadKey, unescapeId } from '../../storage/keys.ts'
import type { Row, Table } from '../../storage/storage.ts'
import { everyRow } from './every-row.ts'
import { readFamily } from '../family.ts'
import { frameQueries, frameRows, missingLink } from '../frames/frames.ts'
import type { VerifyReply, VerifyRequest } from '../host.ts'
import { lossProblems } from '../lost.ts'
import { laneOf, shows } from '../rows/lanes.ts'
import { unseal } from '../rows/seal.ts'
import { openThread, type ThreadFacts, type ThreadRow } from '../rows/thread-row.ts'
import type { Store } from '../store.ts'
import { openWrite } from '../writes.ts'

const PARTITIONS_A_PAGE = 8
const LAST = Number.MAX_SAFE_INTEGER - 1

type Check = (about: { thread?: string; seq?: number }, work: () => unknown) => Promise<boolean>

/** Checks the rows of the next few partitions: each by itself, and every checkpoint down its chain. */
export async function verify(store: Store, { after }: VerifyRequest): Promise<VerifyReply> {
  const found = await store.storage.partitions({
    limit: PARTITIONS_A_PAGE,
    ...(after === undefined ? {} : { after }),
  })
  const problems: VerifyReply['problems'][number][] = []
  let checked = 0
  const check: Check = async (about, work) => {
    checked++
    try {
      await work()
      return true
    } catch (error) {
      if (!CheckpointerError.is(error)) throw error
      problems.push({ ...about, problem: error.message })
      return false
    }
  }
  for (const partition of found) {
    let canBeRead = true
    for await (const { table, row } of everyRow(store, partition)) {
      const isWhole = await check(placeOf(table, row), () => unseal(partition, table, row))
      if (table === 'threads' || table === 'meta') canBeRead &&= isWhole
    }
    // Who shows what is not known when one of those rows is damaged.
    if (!canBeRead) continue
    for (const thread of (await readFamily(store, partition)).threads) await checkThread(store, thread, check)
  }
  if (after === undefined) problems.push(...(await lossProblems(store)))
  const last = found.at(-1)
  return {
    checked,
    problems,
    ...(found.length === PARTITIONS_A_PAGE && last !== undefined ? { next: last } : {}),
  }
}

/** One thread's namespace at one moment: a change meanwhile must not look like damage. */
async function checkThread(store: Store, { partition, facts }: ThreadRow, check: Check): Promise<void> {
  const { lane, segments } = facts
  const [rows = [], writes = [], parts = [], ...frames] = await store.storage.read(partition, [
    { table: 'threads', keys: [threadKey(facts.thread, facts.namespace)] },
    { table: 'writes', ...seqRange(lane, 0, LAST) },
    { table: 'parts', ...seqRange(lane, 0, LAST) },
    ...frameQueries(segments, 0, LAST),
  ])
  if (!rows[0]) return
  const now = openThread(partition, rows[0])
  // What was read beside it was chosen by the segments as they were.
  if (JSON.stringify(now.facts.segments) !== JSON.stringify(segments)) return checkThread(store, now, check)
  await checkStates(partition, now.facts, frames, check)
  for (const row of writes) {
    await check({ thread: facts.thread, seq: seqOf(row.key) }, () => openWrite(partition, row, parts))
  }
}

async function checkStates(
  partition: string,
  { thread, segments, head }: ThreadFacts,
  frames: readonly Row[][],
  check: Check,
): Promise<void> {
  const rows = frameRows(partition, frames)
  const shown = frames
    .filter((_, i) => i % 2 === 0)
    .flat()
    .filter(({ key }) => shows(segments, key[0] as string, seqOf(key)))
  for (const { key } of shown) {
    const seq = seqOf(key)
    await check({ thread, seq }, () => {
      const { lane } = laneOf(segments, seq)
      rows.state(lane, seq)
      const root = head?.seq === seq ? head.frame.root : rows.get(lane, seq)?.facts.frame.root
      const lowest = rows.chain(lane, seq)?.[0]?.seq
      // A load reads from the root on.
      if (lowest !== undefined && root !== undefined && lowest < root) throw missingLink(seq)
    })
  }
  if (!head || shown.some(({ key }) => seqOf(key) === head.seq)) return
  await check({ thread, seq: head.seq }, () => {
    throw new CheckpointerError(
      'CORRUPT',
      `The head of '${thread}' is checkpoint ${head.seq}, which is not there.`,
    )
  })
}

/** What a row is about, as far as its key tells. */
function placeOf(table: Table, { key }: Row): { thread?: string; seq?: number } {
  if (table === 'threads') return { thread: unescapeId(key[0] as string) }
  return typeof key[1] === 'number' ? { seq: key[1] } : {}
}
