import { isWriteIndex } from '../../ids.ts'
import type { Pause } from '../../state/slices/pause.ts'
import { newWritePartsOwner, ownerOfPart, partsOf, writeKey } from '../../storage/keys.ts'
import { compareKeys, type Batch, type Limits, type Put, type Row } from '../../storage/storage.ts'
import type { StoredWrite } from '../host.ts'
import { holds, isCount, isId, isText, isTime } from '../shapes/shape.ts'
import { MOST_MADE } from './countable.ts'
import { isParts, joinPayload, placePayload } from './payload.ts'
import { seal, unsealAs } from './seal.ts'

/** The facts in the head of a row of `writes`; the body is the encoded value. */
interface WriteFacts {
  readonly taskId: string
  readonly index: number
  readonly channel: string
  /** When it came here, later than all before it in its lane: orders the writes of a checkpoint. */
  readonly at: number
  /** When it was made, in all stores: later than what it overwrites. Never above `at`, and absent where it is the same. */
  readonly made?: number
  readonly size: number
  /** How many parts it is in, and whose they are; absent when it stands in its row. */
  readonly parts?: readonly [owner: string, count: number]
}

/** A write to be filed; with `made` it comes from another store, or out of a file. */
export interface MadeWrite extends StoredWrite {
  readonly made?: number
}

/** The rows for one pending write. */
export function writePuts(
  limits: Limits,
  partition: string,
  { lane, seq }: { readonly lane: string; readonly seq: number },
  { at, write }: { readonly at: number; readonly write: MadeWrite },
): Put[] {
  const { taskId, index, channel, body } = write
  // Above that it would count for older elsewhere; of two that are made then, all choose the same by what they are.
  const made = Math.min(write.made ?? at, MOST_MADE)
  const key = writeKey(lane, seq, taskId, index)
  const placed = placePayload(limits, partition, { lane, seq, newOwner: newWritePartsOwner }, body)
  const when = made === at ? { at } : { at, made }
  const told: WriteFacts = { taskId, index, channel, ...when, size: body.length, ...placed.named }
  const head = seal(partition, 'writes', key, told, placed.inline)
  return [{ table: 'writes', key, head, ...(placed.inline ? { body: placed.inline } : {}) }, ...placed.puts]
}

const areFacts = holds<WriteFacts>(
  {
    taskId: isId,
    index: isWriteIndex,
    channel: isText,
    at: isTime,
    made: isTime,
    size: isCount,
    parts: isParts,
  },
  ['made', 'parts'],
)

export function openWriteFacts(partition: string, row: Row): WriteFacts {
  const [lane, seq] = row.key as [string, number]
  const isOfThis = (facts: unknown): facts is WriteFacts =>
    areFacts(facts) && compareKeys(writeKey(lane, seq, facts.taskId, facts.index), row.key) === 0
  return unsealAs(partition, 'writes', row, isOfThis)
}

/** Whose parts, and how many, a pending write is in, if it is in parts. */
export const namedParts = (partition: string, row: Row): WriteFacts['parts'] | null =>
  openWriteFacts(partition, row).parts ?? null

/** The parts of a pending write, if it has any. */
export function partsOfWrite(partition: string, row: Row): NonNullable<Batch['deleteRanges']> {
  const parts = namedParts(partition, row)
  const [lane, seq] = row.key as [string, number]
  return parts ? [{ table: 'parts', ...partsOf(lane, seq, parts[0]) }] : []
}

/** Pending writes in the order in which they came. `parts` may hold those of others too. */
export async function openWrites(
  partition: string,
  rows: readonly Row[],
  parts: readonly Row[],
  pause: Pause,
): Promise<StoredWrite[]> {
  const opened = []
  for (const row of rows) opened.push(await openWrite(partition, row, parts, pause))
  return opened.sort((a, b) => a.at - b.at).map(({ write }) => write)
}

export async function openWrite(
  partition: string,
  row: Row,
  parts: readonly Row[],
  pause: Pause,
): Promise<{ at: number; made: number; write: StoredWrite }> {
  const { taskId, index, channel, at, made = at, size, parts: its } = openWriteFacts(partition, row)
  const [owner, count = 0] = its ?? []
  const own = parts.filter((part) => ownerOfPart(part.key) === owner)
  const body = await joinPayload(partition, row, count, size, own, pause)
  return { at, made, write: { taskId, index, channel, body } }
}

export const filedAt = (partition: string, row: Row): number => openWriteFacts(partition, row).at

export function madeAt(partition: string, row: Row): number {
  const { at, made = at } = openWriteFacts(partition, row)
  return made
}
