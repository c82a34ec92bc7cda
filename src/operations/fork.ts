import { CheckpointerError } from '../errors.ts'
import { isPartOfWrite, seqRange, threadKey, threadRows } from '../storage/keys.ts'
import type { Put, Row } from '../storage/storage.ts'
import { familyQuery, openFamily, renewFamily } from './store/family.ts'
import { needCheckpoint } from './store/find.ts'
import type { CopyRequest, ForkReply, ForkRequest } from './host.ts'
import {
  checkpointPuts,
  deltaFrame,
  infoOf,
  keyframe,
  keyOf,
  newFacts,
  type CheckpointFacts,
} from './rows/checkpoint-row.ts'
import { birthPut } from './rows/birth-row.ts'
import { borrow, laneOf, newLane } from './rows/lanes.ts'
import { seal, unseal } from './rows/seal.ts'
import { emptyThread, openThread, threadPut, type ThreadFacts, type ThreadRow } from './rows/thread-row.ts'
import { attemptsOn, LOST_RACE, tryCommit, untilRecognised } from './store/commit.ts'
import { checkThread, describe, needThread, readThread, type Store } from './store/store.ts'

/** A new thread that shows its origin's rows up to a checkpoint, and goes on from there. Copies nothing. */
export async function fork(store: Store, request: ForkRequest): Promise<ForkReply> {
  const { thread, namespace, as } = request
  const reply = await store.inTurn({ thread, namespace }, () =>
    untilRecognised(attemptsOn(store, request), async () => {
      const origin = await needThread(store, request)
      const point = request.at ? (await needCheckpoint(store, origin, request.at)).facts : origin.facts.head
      if (!point)
        throw new CheckpointerError('NOT_FOUND', `Thread ${describe(request)} has no checkpoint to fork.`, {
          thread,
          namespace,
        })
      const taken =
        (await readThread(store, { thread: as, namespace })) ??
        (namespace === '' ? undefined : await readThread(store, { thread: as, namespace: '' }))
      if (taken) {
        if (taken.facts.key === request.key && taken.facts.head) return { head: infoOf(taken.facts.head) }
        throw new CheckpointerError(
          'CONFLICT',
          `There is a thread ${describe({ thread: as, namespace })} already.`,
          { thread: as, namespace },
        )
      }
      return commitFork(store, request, origin, point)
    }),
  )
  store.publish({ type: 'forked', thread: as, namespace, from: thread, seq: reply.head.seq })
  return reply
}

async function commitFork(
  store: Store,
  request: ForkRequest,
  origin: ThreadRow,
  point: CheckpointFacts,
): Promise<ForkReply | typeof LOST_RACE> {
  const { partition } = origin
  const { thread, namespace, as, createdAt } = request
  const [family] = await store.storage.read(partition, [familyQuery])
  const renewed = renewFamily(partition, openFamily(partition, family))
  const lane = newLane()
  const facts: ThreadFacts = {
    ...emptyThread({ thread: as, namespace }, lane, createdAt),
    segments: borrow(origin.facts.segments, point.seq, lane),
    next: point.seq + 1,
    head: point,
    key: request.key,
    forkOf: { thread, namespace, seq: point.seq, id: point.id },
    ...(request.label === undefined ? {} : { label: request.label }),
    ...(origin.facts.retention === undefined ? {} : { retention: origin.facts.retention }),
  }
  const root = emptyThread({ thread: as, namespace: '' }, newLane(), createdAt)
  const first = request.first && firstOwn(store, partition, origin, point, request.first, lane)
  const head = first?.facts ?? point
  const result = await tryCommit(store, partition, {
    checks: [
      checkThread(origin),
      renewed.check,
      { table: 'threads', key: threadKey(as, namespace), version: undefined },
      ...rootCheck(as, namespace),
    ],
    puts: [
      threadPut(partition, { ...facts, head, next: head.seq + 1 }),
      birthPut(partition, facts),
      ...(first?.puts ?? []),
      ...(namespace === ''
        ? []
        : [threadPut(partition, { ...root, others: true }), birthPut(partition, root)]),
      renewed.put,
    ],
  })
  return result === LOST_RACE ? LOST_RACE : { head: infoOf(head) }
}

/** A fork of another namespace brings its thread's row for the list along. */
const rootCheck = (as: string, namespace: string) =>
  namespace === '' ? [] : [{ table: 'threads', key: threadKey(as, ''), version: undefined } as const]

function firstOwn(
  store: Store,
  partition: string,
  origin: ThreadRow,
  point: CheckpointFacts,
  first: NonNullable<ForkRequest['first']>,
  lane: string,
) {
  const { base, body } = first.frame
  if (base !== undefined && base.key !== keyOf(point))
    throw new CheckpointerError('CONFLICT', 'The checkpoint was replaced while it was edited. Fork again.')
  const seq = point.seq + 1
  const frame =
    base === undefined
      ? keyframe(seq, body.length)
      : deltaFrame(laneOf(origin.facts.segments, point.seq).lane, point, body.length)
  return checkpointPuts(store.storage.limits, partition, lane, newFacts(first, seq, point, frame), body)
}

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
      throw new CheckpointerError('CONFLICT', `There is a thread '${as}' already.`, { thread: as })
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
  // A run has one thread: else two would do the same.
  const { run: _run, ...shared } = facts
  const twin: ThreadFacts = {
    ...shared,
    thread: as,
    key,
    createdAt,
    updatedAt: createdAt,
    lane,
    segments: borrow(facts.segments, last, lane),
  }
  const range = seqRange(facts.lane, 0, last)
  const [writes = [], parts = []] = await store.storage.read(partition, [
    { table: 'writes', ...range },
    { table: 'parts', ...range },
  ])
  const own = parts.filter((part) => isPartOfWrite(part.key))
  return {
    check: { table: 'threads', key: threadKey(as, facts.namespace), version: undefined } as const,
    puts: [
      threadPut(partition, twin),
      birthPut(partition, twin),
      ...writes.map((row) => moved(partition, 'writes', row, lane)),
      ...own.map((row) => moved(partition, 'parts', row, lane)),
    ],
  }
}

/** A row again in another lane: its checksum covers its place, so it is sealed anew. */
function moved(partition: string, table: 'writes' | 'parts', row: Row, lane: string): Put {
  const key = [lane, ...row.key.slice(1)]
  const facts = unseal(partition, table, row) as object
  return {
    table,
    key,
    head: seal(partition, table, key, facts, row.body),
    ...(row.body ? { body: row.body } : {}),
  }
}
