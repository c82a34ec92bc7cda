import type { Pause } from '../../state/slices/pause.ts'
import { checkpointAlias, checkpointKey, newPartsOwner, partsOf } from '../../storage/keys.ts'
import type { Batch, Limits, Put, Row } from '../../storage/storage.ts'
import type { NewCheckpoint, SaveName, StoredInfo } from '../host.ts'
import { INFO_IN_ROW, INFO_MAY_LACK, knownInfo } from '../shapes/checkpoints.ts'
import { holds, isCount, isName, isPair, isSeq } from '../shapes/shape.ts'
import { isParts, placeInSlices, placePayload, type PlacedPayload } from './payload.ts'
import { seal, unsealAs } from './seal.ts'

/** How a checkpoint's state is stored. A chain runs from a delta through its bases down to a keyframe. */
export interface StoredFrame {
  /** The row this delta starts from; absent for a keyframe. */
  readonly base?: readonly [lane: string, seq: number]
  /** No row of the chain has a lower seq than this one. */
  readonly root: number
  /** Deltas in the chain. */
  readonly rows: number
  /** Bytes of these deltas. */
  readonly chain: number
  /** Bytes of the keyframe. */
  readonly whole: number
  /** Bytes of this frame. */
  readonly size: number
  /** How many parts it is in, and whose they are; absent when it stands in its row. */
  readonly parts?: readonly [owner: string, count: number]
}

/** The facts in the head of a row of `checkpoints`. */
export interface CheckpointFacts extends StoredInfo {
  readonly frame: StoredFrame
}

export interface CheckpointRow {
  readonly lane: string
  readonly seq: number
  readonly facts: CheckpointFacts
  readonly row: Row
  /** Its facts cannot be read: they stand for nothing. */
  readonly isDamaged?: true
}

const isFrame = holds<StoredFrame>(
  {
    base: isPair(isName, isSeq),
    root: isSeq,
    rows: isCount,
    chain: isCount,
    whole: isCount,
    size: isCount,
    parts: isParts,
  },
  ['base', 'parts'],
)

export const isCheckpointFacts = holds<CheckpointFacts>({ ...INFO_IN_ROW, frame: isFrame }, INFO_MAY_LACK)

export function openCheckpoint(partition: string, row: Row): CheckpointRow {
  const [lane, seq] = row.key as [string, number]
  const isOfThis = (facts: unknown): facts is CheckpointFacts => isCheckpointFacts(facts) && facts.seq === seq
  return { lane, seq, facts: unsealAs(partition, 'checkpoints', row, isOfThis), row }
}

/** A row that can only be deleted. */
export function damagedRow(row: Row): CheckpointRow {
  const [lane, seq] = row.key as [string, number]
  const facts = { seq, id: '', createdAt: 0, frame: keyframe(seq, row.body?.length ?? 0) }
  return { lane, seq, facts, row, isDamaged: true }
}

export const keyframe = (seq: number, size: number): StoredFrame => ({
  root: seq,
  rows: 0,
  chain: 0,
  whole: size,
  size,
})

export const deltaFrame = (lane: string, base: CheckpointFacts, size: number): StoredFrame => ({
  base: [lane, base.seq],
  root: base.frame.root,
  rows: base.frame.rows + 1,
  chain: base.frame.chain + size,
  whole: base.frame.whole,
  size,
})

/** Checkpoint facts, made from what the caller's side sent. */
export function newFacts(
  request: NewCheckpoint,
  seq: number,
  parent: NonNullable<StoredInfo['parent']> | undefined,
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

/** The rows for one checkpoint, and the facts as they were written. */
export function checkpointPuts(
  limits: Limits,
  partition: string,
  lane: string,
  facts: CheckpointFacts,
  body: Uint8Array,
): CheckpointPuts {
  const at = { lane, seq: facts.seq, newOwner: newPartsOwner }
  return putsOf(partition, lane, facts, placePayload(limits, partition, at, body))
}

/** The same with pauses, for work that nobody waits for in this moment. */
export async function checkpointPutsInSlices(
  limits: Limits,
  partition: string,
  lane: string,
  facts: CheckpointFacts,
  body: Uint8Array,
  pause: Pause,
): Promise<CheckpointPuts> {
  const at = { lane, seq: facts.seq, newOwner: newPartsOwner }
  return putsOf(partition, lane, facts, await placeInSlices(limits, partition, at, body, pause))
}

interface CheckpointPuts {
  readonly facts: CheckpointFacts
  readonly puts: readonly Put[]
}

function putsOf(
  partition: string,
  lane: string,
  unplaced: CheckpointFacts,
  placed: PlacedPayload,
): CheckpointPuts {
  const { seq, id } = unplaced
  const facts = { ...unplaced, frame: { ...unplaced.frame, ...placed.named } }
  const key = checkpointKey(lane, seq)
  const put: Put = {
    table: 'checkpoints',
    key,
    alias: checkpointAlias(lane, id),
    head: seal(partition, 'checkpoints', key, facts, placed.inline),
    ...(placed.inline ? { body: placed.inline } : {}),
  }
  return { facts, puts: [put, ...placed.puts] }
}

/** The deletion of a row's parts, if it has any. */
export function dropParts({
  lane,
  seq,
  facts: { frame },
}: CheckpointRow): NonNullable<Batch['deleteRanges']> {
  return frame.parts ? [{ table: 'parts', ...partsOf(lane, seq, frame.parts[0]) }] : []
}

/** What names the save that made this checkpoint, and no other. */
export const keyOf = ({ key, id }: CheckpointFacts): string => key ?? id

/** What it is called in every store that has it. */
export const nameOf = ({ id, key }: CheckpointFacts): SaveName => (key === undefined ? { id } : { id, key })

/** What of the facts is told outside. */
export const infoOf = ({ frame: _frame, ...info }: CheckpointFacts): StoredInfo => knownInfo(info)
