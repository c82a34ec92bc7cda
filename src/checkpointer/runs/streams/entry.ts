import { CheckpointerError } from '../../../errors.ts'
import type { StoredWrite } from '../../../operations/host.ts'
import type { Codec } from '../../../state/codec.ts'
import { toBytes } from '../../../state/json-bytes.ts'
import { ATTEMPT, CHUNKS, OUTCOME, type JournalStep, type Outcome } from '../entries.ts'
import type { Batch } from './chunk-log.ts'

/** What goes into a stream's entry, encoded. */
export type EntryWrite = Omit<StoredWrite, 'taskId'>

/** A stream's entry in the journal of its run. Its intent is stored. */
export interface StreamEntry {
  readonly key: string
  /** What the journal has of it, when it was begun before. */
  readonly found?: Pick<JournalStep, 'attempt' | 'outcome' | 'batches'> | undefined
  /** Resolves when they are stored: all or none of them. `relaxed`: a crash of the machine may take them back. */
  write(writes: readonly EntryWrite[], relaxed?: boolean): Promise<void>
}

const encoder = new TextEncoder()

export const attemptWrite = (attempt: number): EntryWrite => ({ ...ATTEMPT, body: toBytes(attempt) })

/** A `ChunkBatch`, of chunks that are encoded one by one. */
export function batchWrite(attempt: number, { index, from, chunks }: Batch): EntryWrite {
  const body = encoder.encode(`{"attempt":${attempt},"from":${from},"chunks":[${chunks.join(',')}]}`)
  return { channel: CHUNKS.channel, index, body }
}

export function outcomeWrite(codec: Codec, outcome: Outcome): EntryWrite {
  return { ...OUTCOME, body: toBytes(codec.capture(outcome).state) }
}

/** The outcome of a source that has failed: what it threw or, where that cannot be stored, an error with its words. */
export function failureWrite(codec: Codec, error: unknown): EntryWrite {
  try {
    return outcomeWrite(codec, { error })
  } catch (refused) {
    if (!CheckpointerError.is(refused, 'INVALID')) throw refused
    const { name, message } = error instanceof Error ? error : new Error(String(error))
    return outcomeWrite(codec, { error: Object.assign(new Error(message), { name }) })
  }
}
