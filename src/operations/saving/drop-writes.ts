import { taskRange } from '../../storage/keys.ts'
import type { Limits } from '../../storage/storage.ts'
import { attemptsOn, LOST_RACE, tryCommit, untilCommitted } from '../store/commit.ts'
import type { DropWritesRequest } from '../host.ts'
import { threadPut, withWrites } from '../rows/thread-row.ts'
import { knownPartsOfWrite } from '../store/parts-of-write.ts'
import type { Store } from '../store/store.ts'
import { checkThread, readThread } from '../store/threads.ts'

/** So many rows a commit, that saves in between need not wait for long. */
const AT_ONCE = 256
/** What a commit holds beside the rows and their parts: the thread's row and its check, and that of a lease. */
const BESIDE = 3

const pageFor = ({ operations }: Limits): number =>
  Math.max(1, Math.min(AT_ONCE, Math.floor((operations - BESIDE) / 2)))

/** Makes room, and nothing depends on it: no commit of it need be durable. */
export async function dropWrites(store: Store, request: DropWritesRequest): Promise<void> {
  for (const taskId of request.tasks)
    for (let left = true; left;)
      left = await store.inTurn(request, () =>
        untilCommitted(attemptsOn(store, request), () => dropSome(store, request, taskId)),
      )
}

/** Whether there may be more. */
async function dropSome(
  store: Store,
  { thread, namespace, checkpoint: seq, from, until }: DropWritesRequest,
  taskId: string,
): Promise<boolean | typeof LOST_RACE> {
  const place = { thread, namespace }
  const row = await readThread(store, place)
  if (!row) return false
  const { partition, facts } = row
  const limit = pageFor(store.storage.limits)
  const range = { table: 'writes', ...taskRange(facts.lane, seq, taskId, from, until), limit } as const
  const [rows = []] = await store.storage.read(partition, [range])
  if (rows.length === 0) return false
  const now = withWrites(facts, -rows.length)
  const version = await tryCommit(store, partition, {
    // Whatever adds writes, or removes them, renews the thread's row: it was not done since this was read.
    checks: [checkThread(row)],
    deletes: rows.map(({ key }) => ({ table: 'writes', key })),
    deleteRanges: rows.flatMap((each) => knownPartsOfWrite(partition, each)),
    puts: [threadPut(partition, now)],
    relaxed: 'unowed',
  })
  if (version === LOST_RACE) return LOST_RACE
  store.threads.set(place, { ...row, facts: now, version }, store.threads.get(place)?.lineage)
  return rows.length === limit
}
