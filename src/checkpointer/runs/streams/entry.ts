import type { StoredWrite } from '../../../operations/host.ts'
import type { Codec } from '../../../state/codec.ts'
import { toBytes } from '../../../state/json-bytes.ts'
import { ATTEMPT, CHUNKS, OUTCOME, type JournalStep, type Outcome } from '../journal/entries.ts'
import { isRefused, plainError } from '../journal/kept-error.ts'
import type { Batch } from './chunk-log.ts'

/** What goes into a stream's entry, encoded. */
export type EntryWrite = Omit<StoredWrite, 'taskId'>

/** A stream's entry in the journal of its run. Its intent is stored. */
export interface StreamEntry {
  readonly key: string
  /** What the journal has of it, when it was begun before. */
  readonly found?: Found | undefined
  /** Resolves when the run has its thread, which it may have let go of beside a question. */
  held(): Promise<void>
  /** Resolves when they are stored: all or none of them. */
  write(writes: readonly EntryWrite[]): Promise<void>
  /** The same, sent at once, whatever else is under way; and a crash of the machine may take it back. */
  log(writes: readonly EntryWrite[]): Promise<void>
  /** They are to be stored should the loop do anything else now, and with that. */
  ifGoneOn(writes: readonly EntryWrite[]): void
  /** Should the run end by this error, it is this stream's. */
  blame(error: unknown): void
  /** It is read no more. */
  close(): void
}

interface Found extends Pick<JournalStep, 'attempt' | 'batches'> {
  readonly outcome?: Outcome | undefined
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
    if (!isRefused(refused)) throw refused
    return outcomeWrite(codec, { error: plainError(error) })
  }
}
