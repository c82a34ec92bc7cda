import { CheckpointerError } from '../../../errors.ts'
import { CHUNKS } from '../journal/entries.ts'
import type { StreamEntry } from './entry.ts'
import { checkWhenCut, type StreamRules } from './options.ts'

/** What the journal gives of a stream, and what follows it. */
export interface Replay<Chunk> {
  readonly chunks: readonly Chunk[]
  readonly next:
    | { readonly is: 'end' }
    | { readonly is: 'error'; readonly error: unknown }
    /** It was cut off, and what there is of it is all that will be. */
    | { readonly is: 'kept' }
    /** The source is asked. `isNew`: as an attempt that the journal does not know yet. */
    | { readonly is: 'source'; readonly attempt: number; readonly isNew: boolean }
  /** Where the next batch goes. */
  readonly index: number
}

/** Decides by the journal, and where a crash has cut the stream off, by the policy. */
export async function replayOf<Chunk>(
  name: string,
  { key, found }: StreamEntry,
  { whenCut }: StreamRules<Chunk>,
): Promise<Replay<Chunk>> {
  if (!found) return { chunks: [], next: { is: 'source', attempt: 1, isNew: false }, index: CHUNKS.index }
  const { attempt, outcome } = found
  const chunks = chunksOf<Chunk>(found)
  const index = Math.max(CHUNKS.index - 1, ...found.batches.map((batch) => batch.index)) + 1
  if (outcome && 'error' in outcome) return { chunks, next: { is: 'error', error: outcome.error }, index }
  if (outcome && 'chunks' in outcome) {
    if (chunks.length < outcome.chunks) throw missing(name, key)
    return { chunks: chunks.slice(0, outcome.chunks), next: { is: 'end' }, index }
  }
  // Of one that has given nothing yet nothing is cut off: the same attempt goes on.
  if (chunks.length === 0) return { chunks, next: { is: 'source', attempt, isNew: false }, index }
  const policy = typeof whenCut === 'function' ? await whenCut({ name, key, attempt, chunks }) : whenCut
  checkWhenCut(policy, 'What whenCut gives')
  if (policy === 'keep') return { chunks, next: { is: 'kept' }, index }
  if (policy === 'continue') return { chunks, next: { is: 'source', attempt, isNew: false }, index }
  return { chunks: [], next: { is: 'source', attempt: attempt + 1, isNew: true }, index }
}

/** Those of the latest attempt, up to the first batch that is missing. */
function chunksOf<Chunk>({ attempt, batches }: NonNullable<StreamEntry['found']>): readonly Chunk[] {
  const chunks: unknown[] = []
  for (const batch of batches)
    if (batch.attempt === attempt && batch.from === chunks.length) chunks.push(...batch.chunks)
  // They went in as chunks of this stream; what they are is the caller's to know.
  return chunks as Chunk[]
}

const missing = (name: string, key: string): CheckpointerError =>
  new CheckpointerError(
    'CORRUPT',
    `Chunks of the stream '${name}' are missing from the journal (task '${key}'). Begin anew from the checkpoint, with { from }.`,
  )
