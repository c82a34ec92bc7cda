import { CHUNKS, type JournalStep } from '../journal/entries.ts'
import type { ChunksEvent, StepEvent } from './events.ts'

/** How far a step was told. */
interface Seen {
  readonly seq: number
  readonly attempt: number
  readonly status: StepEvent['status']
  /** How many chunks of this attempt. */
  readonly count: number
  /** Where among the writes of its task the next batch may stand. */
  readonly index: number
}

/** What was told of each step, so that nothing is told twice, and only what is new need be read. */
export class StepsSeen {
  readonly #seen = new Map<string, Seen>()

  /** From where on the writes of a step are news. */
  nextIndex(seq: number, key: string): number {
    return this.#seen.get(nameOf(seq, key))?.index ?? CHUNKS.index
  }

  /** Whether it was told of, and has not ended. */
  isOpen(seq: number, key: string): boolean {
    const seen = this.#seen.get(nameOf(seq, key))
    return seen !== undefined && !hasEnded(seen)
  }

  /** What is new of a step; of its batches, those from `nextIndex` on are enough. */
  news(seq: number, step: JournalStep): (StepEvent | ChunksEvent)[] {
    const { key, name, kind, attempt, question } = step
    const before = this.#seen.get(nameOf(seq, key))
    if (before && attempt < before.attempt) return []
    const isAnother = before?.attempt !== attempt
    const status = statusOf(step)
    const told = {
      type: 'step',
      key,
      name,
      kind,
      attempt,
      ...(question === undefined ? {} : { question }),
    } as const
    const from = isAnother ? 0 : before.count
    const { chunks, index } = chunksFrom(step, from, before?.index ?? CHUNKS.index)
    this.#seen.set(nameOf(seq, key), { seq, attempt, status, count: from + chunks.length, index })
    return [
      ...(isAnother && status !== 'waiting' ? [{ ...told, status: 'started' } as const] : []),
      ...(chunks.length > 0 ? [{ type: 'chunks', key, name, attempt, chunks, from } as const] : []),
      ...(status !== 'started' && (isAnother || before.status !== status) ? [{ ...told, status }] : []),
    ]
  }

  /** The checkpoints before this one with steps that have not ended as far as was told. */
  openBefore(seq: number): ReadonlySet<number> {
    return new Set(
      [...this.#seen.values()].filter((seen) => seen.seq < seq && !hasEnded(seen)).map((seen) => seen.seq),
    )
  }

  /** What has ended will not be asked for again; nor will what is older than this, whether it has ended or not. */
  leave(oldest: number): void {
    for (const [name, seen] of this.#seen) if (hasEnded(seen) || seen.seq < oldest) this.#seen.delete(name)
  }

  clear(): void {
    this.#seen.clear()
  }
}

/** Keys may come again at another checkpoint. */
const nameOf = (seq: number, key: string): string => JSON.stringify([seq, key])

const hasEnded = ({ status }: Seen): boolean => status === 'done' || status === 'failed'

function statusOf({ kind, outcome }: JournalStep): StepEvent['status'] {
  if (outcome) return 'error' in outcome ? 'failed' : 'done'
  return kind === 'question' ? 'waiting' : 'started'
}

/** The chunks that follow on so many, up to the first batch that is missing: it may still come. */
function chunksFrom(
  { batches, attempt }: JournalStep,
  from: number,
  first: number,
): { readonly chunks: unknown[]; readonly index: number } {
  const chunks: unknown[] = []
  let index = first
  for (const batch of batches) {
    if (batch.attempt !== attempt || batch.from !== from + chunks.length) continue
    chunks.push(...batch.chunks)
    index = batch.index + 1
  }
  return { chunks, index }
}
