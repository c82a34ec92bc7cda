import { CheckpointerError } from '../errors.ts'
import { seqRange, threadKey, threadRows } from '../storage/keys.ts'
import type { Put, Row } from '../storage/storage.ts'
import { familyQuery, openFamily, renewFamily } from './store/family.ts'
import type { CopyRequest } from './host.ts'
import { birthPut } from './rows/birth-row.ts'
import { borrow, newLane } from './rows/lanes.ts'
import { openPart } from './rows/payload.ts'
import { seal } from './rows/seal.ts'
import { openThread, threadPut, type ThreadFacts, type ThreadRow } from './rows/thread-row.ts'
import { openWriteFacts, partsOfWrite } from './rows/write-row.ts'
import { attemptsOn, LOST_RACE, tryCommit, untilRecognised } from './store/commit.ts'
import type { Store } from './store/store.ts'
import { needThread, readThread } from './store/threads.ts'

const WRITES_A_PAGE = 32

/** The whole thread again under another id, with all its namespaces, branches and pending writes. */
export async function copy(store: Store, request: CopyRequest): Promise<void> {
  const { thread, as } = request
  const seq = await untilRecognised(attemptsOn(store, { thread, namespace: '' }), async () => {
    const root = await needThread(store, { thread, namespace: '' })
    const { partition } = root
    const [rows = [], family] = await store.storage.read(partition, [
      { table: 'threads', ...threadRows(thread) },
      familyQuery,
    ])
    const taken = await readThread(store, { thread: as, namespace: '' })
    if (taken) {
      if (taken.facts.key === request.key) return taken.facts.head?.seq ?? 0
      throw new CheckpointerError('CONFLICT', `There is a thread '${as}' already: copy to another name.`, {
        thread: as,
      })
    }
    // The thread was deleted or changed between the two reads.
    if (!rows.some((row) => row.version === root.version)) return LOST_RACE
    const renewed = renewFamily(partition, openFamily(partition, family))
    const twins = await Promise.all(rows.map((row) => twinOf(store, openThread(partition, row), request)))
    const result = await tryCommit(store, partition, {
      checks: [
        ...rows.map((row) => ({ table: 'threads', key: row.key, version: row.version }) as const),
        renewed.check,
        ...twins.map((twin) => twin.check),
      ],
      puts: [...twins.flatMap((twin) => twin.puts), renewed.put],
    })
    return result === LOST_RACE ? LOST_RACE : (root.facts.head?.seq ?? 0)
  })
  store.publish({ type: 'forked', thread: as, namespace: '', from: thread, seq })
}

async function twinOf(store: Store, { partition, facts }: ThreadRow, { as, key, createdAt }: CopyRequest) {
  const lane = newLane()
  const last = facts.next - 1
  // A run has one thread: else two would do the same. So a head that was brought here, and may be chosen, loses its run too.
  const { run: _run, tips, ...shared } = facts
  const twin: ThreadFacts = {
    ...shared,
    ...(tips ? { tips: tips.map(({ seq, id }) => ({ seq, id })) } : {}),
    thread: as,
    key,
    createdAt,
    updatedAt: createdAt,
    lane,
    segments: borrow(facts.segments, last, lane),
  }
  return {
    check: { table: 'threads', key: threadKey(as, facts.namespace), version: undefined } as const,
    puts: [
      threadPut(partition, twin),
      birthPut(partition, twin),
      ...(facts.writes ? await movedWrites(store, { partition, facts }, lane) : []),
    ],
  }
}

/** The pending writes, with their own parts alone: those of the states beside them may be all that there is. */
async function movedWrites(
  store: Store,
  { partition, facts }: Pick<ThreadRow, 'partition' | 'facts'>,
  lane: string,
): Promise<Put[]> {
  const puts: Put[] = []
  const { from: start, to } = seqRange(facts.lane, 0, facts.next - 1)
  for (let from = start; ;) {
    const page = { table: 'writes', from, to, limit: WRITES_A_PAGE } as const
    const [writes = []] = await store.storage.read(partition, [page])
    const ranges = writes.flatMap((row) => partsOfWrite(partition, row))
    const parts = ranges.length > 0 ? (await store.storage.read(partition, ranges)).flat() : []
    puts.push(...writes.map((row) => moved(partition, 'writes', row, lane)))
    puts.push(...parts.map((row) => moved(partition, 'parts', row, lane)))
    const last = writes.at(-1)
    if (!last || writes.length < WRITES_A_PAGE) return puts
    from = [...last.key, 0]
  }
}

/** A row again in another lane: its checksum covers its place, so it is sealed anew. */
function moved(partition: string, table: 'writes' | 'parts', row: Row, lane: string): Put {
  const key = [lane, ...row.key.slice(1)]
  const facts = table === 'writes' ? openWriteFacts(partition, row) : openPart(partition, row)
  return {
    table,
    key,
    head: seal(partition, table, key, facts, row.body),
    ...(row.body ? { body: row.body } : {}),
  }
}
