import { CheckpointerError } from '../errors.ts'
import { diff } from '../state/diff.ts'
import { toBytes } from '../state/json-bytes.ts'
import { familyQuery, openFamily, renewFamily } from './family.ts'
import { compactSoon, isLong, shortened } from './frames/compact.ts'
import { findCheckpoint, isHeld, needCheckpoint, byRef } from './find.ts'
import { parseBody, readFrames } from './frames/frames.ts'
import type { NewCheckpoint, SaveReply, SaveRequest } from './host.ts'
import {
  checkpointPuts,
  deltaFrame,
  infoOf,
  keyframe,
  keyOf,
  type CheckpointFacts,
  type StoredFrame,
} from './rows/checkpoint-row.ts'
import { laneOf, newLane } from './rows/lanes.ts'
import { emptyThread, openThread, threadPut, type ThreadFacts, type ThreadRow } from './rows/thread-row.ts'
import { threadKey } from '../storage/keys.ts'
import type { Check, Put } from '../storage/storage.ts'
import { LOST_RACE, tryCommit, untilCommitted } from './commit.ts'
import { checkThread, partitionFor, readThread, recallThread, type Lineage, type Store } from './store.ts'

/** A whole state of this size is worth comparing with its parent's, to store what changed instead. */
const WORTH_COMPARING = 4096
/** How many recent saves a thread's lineage remembers. */
const LINEAGE = 512

export async function save(store: Store, request: SaveRequest): Promise<SaveReply> {
  const { thread, namespace } = request
  const place = { thread, namespace }
  const reply = await store.inTurn(place, () =>
    untilCommitted(async (tried) => {
      if (tried > 0 || request.retry) return attempt(store, request, await readThread(store, place), true)
      // What was remembered saves a read, but may be old: it never decides that a save is refused.
      const remembered = await recallThread(store, place)
      const reply = await attempt(store, request, remembered, false).catch((error: unknown) => ({ error }))
      if (reply === LOST_RACE || ('saved' in reply && reply.saved)) return reply
      if ((await readThread(store, place))?.version !== remembered?.version) return LOST_RACE
      if ('error' in reply) throw reply.error
      return reply
    }),
  )
  if (reply.saved)
    store.publish({ type: 'saved', thread, namespace, seq: reply.saved.seq, id: reply.saved.id })
  return reply
}

async function attempt(
  store: Store,
  request: SaveRequest,
  row: ThreadRow | undefined,
  again: boolean,
): Promise<SaveReply | typeof LOST_RACE> {
  const { thread, namespace } = request
  const partition = row?.partition ?? (await partitionFor(store, thread))
  const facts = row?.facts ?? emptyThread({ thread, namespace }, newLane(), request.createdAt)

  const same =
    row && (again || request.id !== undefined)
      ? await findCheckpoint(store, row, { id: request.id ?? request.key })
      : undefined
  if (same) {
    if (keyOf(same.facts) === request.key) return { saved: infoOf(same.facts) }
    throw new CheckpointerError(
      'CONFLICT',
      `The id ${JSON.stringify(request.id)} is taken by checkpoint ${same.seq}.`,
      { thread, namespace, seq: same.seq },
    )
  }
  const id = request.retry ? (request.id ?? request.key) : request.id
  if (again && row && id !== undefined && (await isHeld(store, row, id)))
    throw new CheckpointerError(
      'CONFLICT',
      `The id ${JSON.stringify(id)} is that of a removed checkpoint which a fork still shows.`,
      { thread, namespace },
    )
  checkExpected(request, facts.head)
  const parent = await parentOf(store, request, row, facts)
  const framed = await frame(store, request.frame, facts, row, parent)
  if (!framed) return { saved: undefined }

  const seq = facts.next
  const written = checkpointPuts(
    store.storage.limits,
    partition,
    facts.lane,
    newFacts(request, seq, parent, framed.frame(seq)),
    framed.body,
  )
  const next: ThreadFacts = {
    ...facts,
    next: seq + 1,
    head: written.facts,
    updatedAt: Math.max(request.createdAt, facts.updatedAt),
  }
  const root = namespace === '' ? undefined : await rootRow(store, partition, request)
  // A new row changes who lives in the partition: a removal that has counted them must not pass.
  const family = row ? undefined : await familyRenewal(store, partition)
  const version = await tryCommit(store, partition, {
    checks: [
      row ? checkThread(row) : { table: 'threads', key: threadKey(thread, namespace), version: undefined },
      ...(root?.checks ?? []),
      ...(family ? [family.check] : []),
    ],
    puts: [
      ...written.puts,
      threadPut(partition, next),
      ...(root?.puts ?? []),
      ...(family ? [family.put] : []),
    ],
  })
  if (version === LOST_RACE) return LOST_RACE
  remember(store, { partition, version, facts: next }, written.facts)
  if (root) store.threads.set(root.facts, { partition, version, facts: root.facts })
  return { saved: infoOf(written.facts) }
}

function checkExpected({ expect, thread, namespace }: SaveRequest, head: CheckpointFacts | undefined): void {
  if (expect === undefined) return
  const holds = expect === null ? !head : expect === (typeof expect === 'number' ? head?.seq : head?.id)
  if (holds) return
  const wanted = expect === null ? 'no checkpoint' : `the head ${JSON.stringify(expect)}`
  const found = head ? `the head is ${head.seq} (${head.id})` : 'there is none'
  throw new CheckpointerError('CONFLICT', `Expected ${wanted}, but ${found}. Load again and decide.`, {
    thread,
    namespace,
    ...(head ? { seq: head.seq } : {}),
  })
}

async function parentOf(
  store: Store,
  request: SaveRequest,
  row: ThreadRow | undefined,
  facts: ThreadFacts,
): Promise<CheckpointFacts | undefined> {
  const { parent, thread, namespace } = request
  if (parent === null) return undefined
  const head = facts.head
  if (parent === undefined || (head && (parent === head.seq || parent === head.id))) return head
  if (!row)
    throw new CheckpointerError('NOT_FOUND', `The parent ${JSON.stringify(parent)} does not exist.`, {
      thread,
      namespace,
    })
  return (await needCheckpoint(store, row, byRef(parent))).facts
}

/** Checkpoint facts, made from what the caller's side sent. */
export function newFacts(
  request: NewCheckpoint,
  seq: number,
  parent: CheckpointFacts | undefined,
  frame: StoredFrame,
): CheckpointFacts {
  return {
    ...request.fields,
    seq,
    id: request.id ?? request.key,
    ...(request.id !== undefined ? { key: request.key } : {}),
    createdAt: request.createdAt,
    ...(parent ? { parent: { seq: parent.seq, id: parent.id } } : {}),
    frame,
  }
}

interface Framed {
  readonly frame: (seq: number) => StoredFrame
  readonly body: Uint8Array
}

/** What will be stored for the state: the delta that came, a delta made here from a whole state, or the whole. */
async function frame(
  store: Store,
  { base, body }: SaveRequest['frame'],
  thread: ThreadFacts,
  row: ThreadRow | undefined,
  parent: CheckpointFacts | undefined,
): Promise<Framed | undefined> {
  const whole: Framed = { frame: (seq) => keyframe(seq, body.length), body }
  if (base !== undefined) {
    const head = thread.head
    const found =
      head?.id === base.id ? head : row && (await findCheckpoint(store, row, { id: base.id }))?.facts
    if (!found || keyOf(found) !== base.key) return undefined
    return { frame: () => deltaFrame(laneOf(thread.segments, found.seq).lane, found, body.length), body }
  }
  if (!row || !parent || body.length < WORTH_COMPARING || isLong(parent.frame)) return whole
  const { lane } = laneOf(thread.segments, parent.seq)
  const before = await readFrames(store, row.partition, thread.segments, parent.frame.root, parent.seq)
  // Damage in the parent must not keep a whole state from being saved.
  let delta: Uint8Array
  try {
    delta = toBytes(diff(before.state(lane, parent.seq), parseBody(body, thread.next)))
  } catch (error) {
    if (CheckpointerError.is(error, 'CORRUPT')) return whole
    throw error
  }
  return delta.length * 2 < body.length
    ? { frame: () => deltaFrame(lane, parent, delta.length), body: delta }
    : whole
}

async function familyRenewal(store: Store, partition: string): Promise<{ check: Check; put: Put }> {
  const [rows] = await store.storage.read(partition, [familyQuery])
  return renewFamily(partition, openFamily(partition, rows))
}

/** The row of namespace '' stands for the thread in the list, also when only other namespaces are saved to. */
async function rootRow(
  store: Store,
  partition: string,
  { thread, createdAt }: SaveRequest,
): Promise<{ facts: ThreadFacts; checks: Check[]; puts: Put[] }> {
  const key = threadKey(thread, '')
  const [rows] = await store.storage.read(partition, [{ table: 'threads', keys: [key] }])
  const found = rows?.[0]
  const facts = found
    ? openThread(partition, found).facts
    : emptyThread({ thread, namespace: '' }, newLane(), createdAt)
  const touched = { ...facts, others: true, updatedAt: Math.max(createdAt, facts.updatedAt) }
  return {
    facts: touched,
    checks: [{ table: 'threads', key, version: found?.version }],
    puts: [threadPut(partition, touched)],
  }
}

function remember(store: Store, thread: ThreadRow, saved: CheckpointFacts): void {
  const place = { thread: thread.facts.thread, namespace: thread.facts.namespace }
  const lineage: Lineage = store.threads.get(place)?.lineage ?? { links: new Map() }
  const { links } = lineage
  if (saved.frame.base) links.set(saved.seq, { base: saved.frame.base[1], size: saved.frame.size })
  if (links.size > LINEAGE) links.delete(links.keys().next().value as number)
  // A keyframe may have been written while this save was under way.
  const head = shortened(saved, lineage)
  store.threads.set(place, { ...thread, facts: { ...thread.facts, head } }, lineage)
  if (isLong(head.frame)) compactSoon(store, place)
}
