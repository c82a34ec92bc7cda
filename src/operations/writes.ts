import { checkpointKey, seqRange, writeKey, writeOwner } from '../storage/keys.ts'
import type { Batch, Key, Put, Row } from '../storage/storage.ts'
import { byRef, needCheckpoint } from './find.ts'
import type { PutWritesRequest, StoredWrite } from './host.ts'
import { placePayload } from './rows/payload.ts'
import { seal, unseal } from './rows/seal.ts'
import { tryCommit, untilCommitted } from './commit.ts'
import { needThread, type Store } from './store.ts'

/** The facts in the head of a row of `writes`; the body is the encoded value. */
export interface WriteFacts {
  readonly taskId: string
  readonly index: number
  readonly channel: string
  /** Orders the writes of a checkpoint as they came. */
  readonly at: number
  readonly size: number
  readonly parts: number
}

/**
 * Writes belong to the thread that made them, also for a checkpoint that it borrows: they stand in its own lane,
 * so that a fork never sees what its origin went on to do. The checkpoint's row is checked, not renewed: writes
 * of many tasks do not get in each other's way.
 */
export async function putWrites(store: Store, request: PutWritesRequest): Promise<void> {
  const done = await untilCommitted(async () => {
    const thread = await needThread(store, request)
    const checkpoint = await needCheckpoint(store, thread, byRef(request.checkpoint))
    const { seq } = checkpoint
    const { lane } = thread.facts
    const [existing = []] = await store.storage.read(thread.partition, [
      { table: 'writes', ...seqRange(lane, seq, seq) },
    ])
    const batch = batchOf(store, thread.partition, lane, seq, request.writes, existing)
    const key = checkpointKey(checkpoint.lane, seq)
    const checks = [
      ...(batch.checks ?? []),
      { table: 'checkpoints', key, version: checkpoint.row.version } as const,
    ]
    const result = await tryCommit(store, thread.partition, { ...batch, checks })
    return typeof result === 'string' ? { seq } : result
  })
  const { thread, namespace, writes } = request
  for (const taskId of new Set(writes.map((write) => write.taskId)))
    store.publish({ type: 'writes', thread, namespace, seq: done.seq, taskId })
}

/** An index from 0 is written once: what is there stays. A negative one is special, and overwrites. */
function batchOf(
  store: Store,
  partition: string,
  lane: string,
  seq: number,
  writes: readonly StoredWrite[],
  existing: readonly Row[],
): Batch {
  const taken = new Map(existing.map((row) => [writeOwner(row.key), row.version]))
  const latest = new Map<string, { key: Key; write: StoredWrite }>()
  for (const write of writes) {
    const key = writeKey(lane, seq, write.taskId, write.index)
    const owner = writeOwner(key)
    if (write.index >= 0 && (taken.has(owner) || latest.has(owner))) continue
    latest.set(owner, { key, write })
  }
  // Later writes come after earlier ones, also within a millisecond or after the clock was set back.
  const latestAt = Math.max(0, ...existing.map((row) => (unseal(partition, 'writes', row) as WriteFacts).at))
  const now = Math.max(Date.now(), latestAt + 0.001)
  const fresh = [...latest].map(([owner, { key, write }], i) => {
    const { taskId, index, channel, body } = write
    const placed = placePayload(store.storage.limits, partition, { lane, seq, owner }, body)
    const facts: WriteFacts = {
      taskId,
      index,
      channel,
      at: now + i / 1000,
      size: body.length,
      parts: placed.parts,
    }
    const put: Put = {
      table: 'writes',
      key,
      head: seal(partition, 'writes', key, facts, placed.inline),
      ...(placed.inline ? { body: placed.inline } : {}),
    }
    return { key, owner, puts: [put, ...placed.puts] }
  })
  return {
    checks: fresh.map(({ key, owner }) => ({ table: 'writes', key, version: taken.get(owner) })),
    deleteRanges: fresh
      .filter(({ owner }) => taken.has(owner))
      .map(({ owner }) => ({
        table: 'parts',
        from: [lane, seq, owner],
        to: [lane, seq, owner, Number.MAX_SAFE_INTEGER],
      })),
    puts: fresh.flatMap(({ puts }) => puts),
  }
}
