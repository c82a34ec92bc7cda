import { CheckpointerError } from '../errors.ts'
import { allRows, seqOf, seqRange, unescapeId } from '../storage/keys.ts'
import { TABLES, type Row, type Table } from '../storage/storage.ts'
import { readFamily } from './family.ts'
import { readFrames } from './frames.ts'
import type { UsageReply, VerifyReply, VerifyRequest } from './host.ts'
import { openCheckpoint } from './rows/checkpoint-row.ts'
import { shows, stretches } from './rows/lanes.ts'
import { unseal } from './rows/seal.ts'
import { isListed, openThread, type ThreadRow } from './rows/thread-row.ts'
import type { Store } from './store.ts'

const PAGE = 500

/** Counts what is stored, by reading all of it. */
export async function usage(store: Store): Promise<UsageReply> {
  let bytes = 0
  let threads = 0
  let checkpoints = 0
  for await (const partition of partitions(store)) {
    for await (const { table, row } of everyRow(store, partition)) {
      bytes += row.head.length + (row.body?.length ?? 0)
      if (table === 'threads' && countsAsThread(partition, row)) threads++
      if (table === 'checkpoints') checkpoints++
    }
  }
  return { bytes, threads, checkpoints }
}

/** What a row is about, as far as its key tells. */
function placeOf(table: Table, { key }: Row): { thread?: string; seq?: number } {
  if (table === 'threads') return { thread: unescapeId(key[0] as string) }
  return typeof key[1] === 'number' ? { seq: key[1] } : {}
}

/** A damaged row is a thread still. */
function countsAsThread(partition: string, row: Row): boolean {
  try {
    return isListed(openThread(partition, row).facts)
  } catch {
    return row.key[1] === ''
  }
}

/** Checks the rows of the next few partitions: each by itself, and every checkpoint down its chain. */
export async function verify(store: Store, { after }: VerifyRequest): Promise<VerifyReply> {
  const found = await store.storage.partitions({ limit: 8, ...(after === undefined ? {} : { after }) })
  const problems: VerifyReply['problems'][number][] = []
  let checked = 0
  const check = async (about: { thread?: string; seq?: number }, work: () => unknown): Promise<void> => {
    checked++
    try {
      await work()
    } catch (error) {
      if (!CheckpointerError.is(error)) throw error
      problems.push({ ...about, problem: error.message })
    }
  }
  for (const partition of found) {
    let whole = true
    for await (const { table, row } of everyRow(store, partition)) {
      const before = problems.length
      await check(placeOf(table, row), () => unseal(partition, table, row))
      if (table === 'threads' || table === 'meta') whole &&= problems.length === before
    }
    if (!whole) continue
    for (const thread of (await readFamily(store, partition)).threads) await checkStates(store, thread, check)
  }
  const last = found.at(-1)
  return { checked, problems, ...(found.length === 8 && last !== undefined ? { next: last } : {}) }
}

async function checkStates(
  store: Store,
  thread: ThreadRow,
  check: (about: { thread: string; seq?: number }, work: () => unknown) => Promise<void>,
): Promise<void> {
  const { partition, facts } = thread
  const { thread: id, segments, head } = facts
  const seen = new Set<number>()
  for (const { lane, from, last } of stretches(segments)) {
    const [rows = []] = await store.storage.read(partition, [
      { table: 'checkpoints', ...seqRange(lane, from, last) },
    ])
    for (const row of rows) {
      const seq = seqOf(row.key)
      if (!shows(segments, lane, seq)) continue
      seen.add(seq)
      await check({ thread: id, seq }, async () => {
        const { root } = openCheckpoint(partition, row).facts.frame
        const frames = await readFrames(store, partition, segments, root, seq)
        frames.state(lane, seq)
      })
    }
  }
  await check({ thread: id }, () => {
    if (head && !seen.has(head.seq))
      throw new CheckpointerError(
        'CORRUPT',
        `The head of '${id}' is checkpoint ${head.seq}, which is not there.`,
      )
  })
}

async function* partitions(store: Store): AsyncGenerator<string> {
  for (let after: string | undefined; ;) {
    const found = await store.storage.partitions({ limit: PAGE, ...(after === undefined ? {} : { after }) })
    yield* found
    if (found.length < PAGE) return
    after = found.at(-1) as string
  }
}

async function* everyRow(
  store: Store,
  partition: string,
): AsyncGenerator<{ readonly table: Table; readonly row: Row }> {
  for (const table of TABLES) {
    let { from, to } = allRows()
    for (;;) {
      const [rows = []] = await store.storage.read(partition, [{ table, from, to, limit: PAGE }])
      for (const row of rows) yield { table, row }
      const last = rows.at(-1)
      if (!last || rows.length < PAGE) break
      // The next key after this one: the same with one more part.
      from = [...last.key, 0]
    }
  }
}
