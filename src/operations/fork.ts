import { CheckpointerError } from '../errors.ts'
import { isPartOfWrite, seqRange, threadKey, threadRows } from '../storage/keys.ts'
import type { Put, Row } from '../storage/storage.ts'
import { familyQuery, openFamily, renewFamily } from './store/family.ts'
import { findCheckpoint, needCheckpoint, oldestFirst } from './store/find.ts'
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
import { borrow, laneOf, newLane, withSeqs, type Segment } from './rows/lanes.ts'
import { openPart } from './rows/payload.ts'
import { seal } from './rows/seal.ts'
import { emptyThread, openThread, threadPut, type ThreadFacts, type ThreadRow } from './rows/thread-row.ts'
import { openWriteFacts } from './rows/write-row.ts'
import { goneSaves, saveText } from './store/gone.ts'
import { attemptsOn, LOST_RACE, tryCommit, untilRecognised } from './store/commit.ts'
import type { Store } from './store/store.ts'
import type { FamilyRow } from './store/thread-cache.ts'
import { checkThread, describe, needThread, readThread } from './store/threads.ts'

/** A new thread that shows its origin's rows up to a checkpoint, and goes on from there. Copies nothing. */
export async function fork(store: Store, request: ForkRequest): Promise<ForkReply> {
  const { thread, namespace, as } = request
  const reply = await store.inTurn({ thread, namespace }, () =>
    untilRecognised(attemptsOn(store, request), async (tried) => {
      const made = tried === 0 ? await forkRemembered(store, request) : undefined
      if (made && made !== LOST_RACE) return made
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
          `There is a thread ${describe({ thread: as, namespace })} already: give another name with \`as\`, or none.`,
          { thread: as, namespace },
        )
      }
      return commitFork(store, request, origin, point, await readFamilyRow(store, origin))
    }),
  )
  store.publish({ type: 'forked', thread: as, namespace, from: thread, seq: reply.head.seq })
  return reply
}

/**
 * By the origin's row as last seen from here, and the family's as the last fork has left it, whose versions the commit checks:
 * up to three reads less, when nobody has changed them since. What was only remembered never decides that a fork is refused.
 */
async function forkRemembered(
  store: Store,
  request: ForkRequest,
): Promise<ForkReply | typeof LOST_RACE | undefined> {
  const origin = store.threads.get(request)
  if (!origin) return undefined
  try {
    const [point, family] = await Promise.all([
      request.at
        ? findCheckpoint(store, origin, request.at).then((found) => found?.facts)
        : origin.facts.head,
      origin.family ?? readFamilyRow(store, origin),
    ])
    return point && (await commitFork(store, request, origin, point, family))
  } catch (error) {
    const codes = ['CORRUPT', 'CONFLICT', 'NOT_FOUND'] as const
    if (codes.some((code) => CheckpointerError.is(error, code))) return undefined
    throw error
  }
}

async function readFamilyRow({ storage }: Store, { partition }: ThreadRow): Promise<FamilyRow> {
  const [rows] = await storage.read(partition, [familyQuery])
  return openFamily(partition, rows)
}

async function commitFork(
  store: Store,
  request: ForkRequest,
  origin: ThreadRow,
  point: CheckpointFacts,
  family: FamilyRow,
): Promise<ForkReply | typeof LOST_RACE> {
  const { partition } = origin
  const { thread, namespace, as, createdAt } = request
  const renewed = renewFamily(partition, family)
  const lane = newLane()
  const facts: ThreadFacts = {
    ...emptyThread({ thread: as, namespace }, lane, createdAt),
    segments: await shownOf(store, origin, point, request, lane),
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
  const twin: ThreadFacts = { ...facts, head, next: head.seq + 1 }
  const version = await tryCommit(store, partition, {
    checks: [
      checkThread(origin),
      renewed.check,
      { table: 'threads', key: threadKey(as, namespace), version: undefined },
      ...rootCheck(as, namespace),
    ],
    puts: [
      threadPut(partition, twin),
      birthPut(partition, facts),
      ...(first?.puts ?? []),
      ...(namespace === ''
        ? []
        : [threadPut(partition, { ...root, others: true }), birthPut(partition, root)]),
      renewed.put,
    ],
  })
  if (version === LOST_RACE) return LOST_RACE
  store.threads.set(twin, { partition, version, facts: twin })
  store.threads.setFamily(request, { ...family, version })
  return { head: infoOf(head) }
}

/** What it borrows of its origin; elsewhere its origin may have had less, where it was made. */
async function shownOf(
  store: Store,
  origin: ThreadRow,
  { seq: last }: CheckpointFacts,
  { only, as, namespace, heard, thread }: ForkRequest,
  lane: string,
): Promise<Segment[]> {
  const segments = borrow(origin.facts.segments, last, lane)
  if (!only) return segments
  const gone = await goneSaves(store, as, heard)
  const shown = new Set(only.map((save) => saveText(namespace, save)).filter((save) => !gone.has(save)))
  const others: { lane: string; seq: number }[] = []
  let borrowed = 0
  let isPoint = false
  for await (const row of oldestFirst(store, origin, { to: last })) {
    isPoint = shown.has(saveText(namespace, { id: keyOf(row.facts) }))
    if (isPoint) borrowed++
    else others.push(row)
  }
  // What would be missing came behind all that is borrowed: then it is no fork, but its rows come in their order.
  if (!isPoint || borrowed < shown.size)
    throw new CheckpointerError(
      'NOT_FOUND',
      `Thread ${describe({ thread, namespace })} lacks what a fork of it shows.`,
      {
        thread,
        namespace,
      },
    )
  return segments.map((segment) => {
    const seqs = others.filter((row) => row.lane === segment.lane).map(({ seq }) => seq)
    return seqs.length > 0 ? { ...segment, hide: withSeqs(segment.hide, seqs) } : segment
  })
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
  const facts = table === 'writes' ? openWriteFacts(partition, row) : openPart(partition, row)
  return {
    table,
    key,
    head: seal(partition, table, key, facts, row.body),
    ...(row.body ? { body: row.body } : {}),
  }
}
