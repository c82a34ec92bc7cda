import { CheckpointerError } from '../errors.ts'
import { part } from '../part.ts'
import { threadKey } from '../storage/keys.ts'
import { familyQuery, openFamily, renewFamily } from './store/family.ts'
import { findCheckpoint, needCheckpoint } from './store/find.ts'
import type { ForkReply, ForkRequest } from './host.ts'
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
import { borrow, laneOf, newLane, type Segment } from './rows/lanes.ts'
import { emptyThread, threadPut, type ThreadFacts, type ThreadRow } from './rows/thread-row.ts'
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

/** What it borrows of its origin; where two stores are brought together, that may be less. */
async function shownOf(
  store: Store,
  origin: ThreadRow,
  { seq: last }: CheckpointFacts,
  request: ForkRequest,
  lane: string,
): Promise<Segment[]> {
  const segments = borrow(origin.facts.segments, last, lane)
  if (!request.only) return segments
  const { withoutOthers } = await part(() => import('./all-seldom.ts'))
  return withoutOthers(store, origin, last, request, segments)
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
