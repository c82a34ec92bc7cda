import {
  checkpointKey,
  newWritePartsOwner,
  ownerOfPart,
  partsOf,
  seqRange,
  writeKey,
  writeName,
} from '../storage/keys.ts'
import type { Batch, Key, Limits, Put, Row } from '../storage/storage.ts'
import { byRef, needCheckpoint } from './find.ts'
import type { PutWritesRequest, StoredWrite } from './host.ts'
import { joinPayload, placePayload } from './rows/payload.ts'
import { seal, unseal } from './rows/seal.ts'
import { LOST_RACE, tryCommit, untilRecognised } from './commit.ts'
import { threadPut, withWrites } from './rows/thread-row.ts'
import { checkThread, needThread, type Store } from './store.ts'

/** The facts in the head of a row of `writes`; the body is the encoded value. */
interface WriteFacts {
  readonly taskId: string
  readonly index: number
  readonly channel: string
  /** Orders the writes of a checkpoint as they came. */
  readonly at: number
  readonly size: number
  /** How many parts it is in, and whose they are; absent when it stands in its row. */
  readonly parts?: readonly [owner: string, count: number]
}

/**
 * Writes belong to the thread that made them, also for a checkpoint that it borrows: they stand in its own lane,
 * so that a fork never sees what its origin went on to do.
 */
export async function putWrites(store: Store, request: PutWritesRequest): Promise<void> {
  const { thread, namespace } = request
  const done = await store.inTurn({ thread, namespace }, () =>
    untilRecognised(async () => {
      const row = await needThread(store, request)
      const checkpoint = await needCheckpoint(store, row, byRef(request.checkpoint))
      const { seq } = checkpoint
      const { lane } = row.facts
      const range = { table: 'writes', ...seqRange(lane, seq, seq) } as const
      const [existing = []] = await store.storage.read(row.partition, [range])
      const fresh = freshWrites(lane, seq, request.writes, existing)
      if (fresh.size === 0) return { seq, tasks: [] }
      const batch = batchOf(store, row.partition, { lane, seq }, fresh, existing)
      const key = checkpointKey(checkpoint.lane, seq)
      const checks = [
        ...(batch.checks ?? []),
        checkThread(row),
        { table: 'checkpoints', key, version: checkpoint.row.version } as const,
      ]
      // The thread's row is renewed: a removal that has not seen these writes must not pass, nor they it.
      const added = [...fresh.values()].filter(({ old }) => !old).length
      const facts = withWrites(row.facts, added)
      const puts = [...(batch.puts ?? []), threadPut(row.partition, facts)]
      const version = await tryCommit(store, row.partition, { ...batch, checks, puts })
      if (version === LOST_RACE) return LOST_RACE
      store.threads.set(
        { thread, namespace },
        { ...row, facts, version },
        store.threads.get(request)?.lineage,
      )
      return { seq, tasks: new Set([...fresh.values()].map(({ write }) => write.taskId)) }
    }),
  )
  for (const taskId of done.tasks) store.publish({ type: 'writes', thread, namespace, seq: done.seq, taskId })
}

interface FreshWrite {
  readonly key: Key
  readonly write: StoredWrite
  /** The row that it overwrites. */
  readonly old?: Row
}

/** An index from 0 is written once: what is there stays. A negative one is special, and overwrites. */
function freshWrites(
  lane: string,
  seq: number,
  writes: readonly StoredWrite[],
  existing: readonly Row[],
): Map<string, FreshWrite> {
  const taken = new Map(existing.map((row) => [writeName(row.key), row]))
  const fresh = new Map<string, FreshWrite>()
  for (const write of writes) {
    const key = writeKey(lane, seq, write.taskId, write.index)
    const name = writeName(key)
    const old = taken.get(name)
    if (write.index >= 0 && (old || fresh.has(name))) continue
    fresh.set(name, { key, write, ...(old ? { old } : {}) })
  }
  return fresh
}

function batchOf(
  store: Store,
  partition: string,
  { lane, seq }: { readonly lane: string; readonly seq: number },
  fresh: ReadonlyMap<string, FreshWrite>,
  existing: readonly Row[],
): Batch {
  // Later writes come after earlier ones, also within a millisecond or after the clock was set back.
  const now = existing.reduce((latest, row) => {
    const { at } = unseal(partition, 'writes', row) as WriteFacts
    return Math.max(latest, at + 0.001)
  }, Date.now())
  const puts = [...fresh.values()].map(({ write }, i) =>
    writePuts(store.storage.limits, partition, { lane, seq }, { at: now + i / 1000, write }),
  )
  const overwritten = [...fresh.values()].flatMap(({ old }) => (old ? [old] : []))
  return {
    checks: [...fresh.values()].map(({ key, old }) => ({ table: 'writes', key, version: old?.version })),
    deleteRanges: overwritten.flatMap((row) => partsOfWrite(partition, row)),
    puts: puts.flat(),
  }
}

/** The rows for one pending write. */
export function writePuts(
  limits: Limits,
  partition: string,
  { lane, seq }: { readonly lane: string; readonly seq: number },
  { at, write }: { readonly at: number; readonly write: StoredWrite },
): Put[] {
  const { taskId, index, channel, body } = write
  const key = writeKey(lane, seq, taskId, index)
  const owner = newWritePartsOwner()
  const placed = placePayload(limits, partition, { lane, seq, owner }, body)
  const parts = placed.parts > 0 ? { parts: [owner, placed.parts] as const } : {}
  const told: WriteFacts = { taskId, index, channel, at, size: body.length, ...parts }
  const head = seal(partition, 'writes', key, told, placed.inline)
  return [{ table: 'writes', key, head, ...(placed.inline ? { body: placed.inline } : {}) }, ...placed.puts]
}

/** Whose parts, and how many, a pending write is in, if it is in parts. */
export const namedParts = (partition: string, row: Row): WriteFacts['parts'] | null =>
  (unseal(partition, 'writes', row) as WriteFacts).parts ?? null

/** The parts of a pending write, if it has any. */
export function partsOfWrite(partition: string, row: Row): NonNullable<Batch['deleteRanges']> {
  const parts = namedParts(partition, row)
  const [lane, seq] = row.key as [string, number]
  return parts ? [{ table: 'parts', ...partsOf(lane, seq, parts[0]) }] : []
}

/** Pending writes in the order in which they came. `parts` may hold those of others too. */
export function openWrites(partition: string, rows: readonly Row[], parts: readonly Row[]): StoredWrite[] {
  return rows
    .map((row) => openWrite(partition, row, parts))
    .sort((a, b) => a.at - b.at)
    .map(({ write }) => write)
}

export function openWrite(
  partition: string,
  row: Row,
  parts: readonly Row[],
): { at: number; write: StoredWrite } {
  const { taskId, index, channel, at, size, parts: its } = unseal(partition, 'writes', row) as WriteFacts
  const [owner, count = 0] = its ?? []
  const own = parts.filter((part) => ownerOfPart(part.key) === owner)
  return { at, write: { taskId, index, channel, body: joinPayload(partition, row, count, size, own) } }
}
