import { checkOptions, invalid, type Names } from '../../options/options.ts'
import type { StreamSource } from './source.ts'

/** What becomes of a stream that a crash has cut off: see `StreamOptions`. */
export type WhenCut = 'continue' | 'restart' | 'keep'

/** A stream that was cut off, as it was found. */
export interface StreamCut<Chunk> {
  /** As `loop.stream` was given it. */
  readonly name: string
  /** The stream's own, the same on every attempt. */
  readonly key: string
  /** The attempt that was cut off, from 1. */
  readonly attempt: number
  /** What is there of it. */
  readonly chunks: readonly Chunk[]
}

/** What is kept of a stream, and what becomes of one that was cut off. */
export interface StreamOptions<Chunk> {
  /**
   * What becomes of it when the run was cut off while it was read, and some chunks are there. `'restart'`, the
   * default: it is begun anew. `'continue'`: the chunks come again, then those of a source that is given them.
   * `'keep'`: they come again, and are all. A function is given them, to show them or to decide.
   */
  readonly whenCut?: WhenCut | ((cut: StreamCut<Chunk>) => WhenCut | Promise<WhenCut>) | undefined
  /** About how many bytes of chunks are kept for a crash, until the next checkpoint. 8 MB when absent. */
  readonly maxBytes?: number | undefined
}

/** What a function that opens a stream is given. */
export interface StreamCall<Chunk = unknown> {
  /** The same on every attempt: an idempotency key. */
  readonly key: string
  /** Counts how often it was begun anew, from 1. */
  readonly attempt: number
  /** Aborted when no more is wanted. */
  readonly signal: AbortSignal
  /** What is there already, when it is to be continued. */
  readonly chunks: readonly Chunk[]
  /** The lease's, for others that are to refuse a runner that was replaced. */
  readonly token: number
}

interface OpensStream<Chunk> {
  open(call: StreamCall): StreamSource<Chunk> | Promise<StreamSource<Chunk>>
}

/**
 * Called only when chunks are needed that are not there. What it is given does not name the type of chunks, or the
 * compiler could not take that from what it gives; but it may say so itself: `({ chunks }: StreamCall<string>) => …`.
 */
export type OpenStream<Chunk> = OpensStream<Chunk>['open']

const STREAM: Names<StreamOptions<unknown>> = { whenCut: true, maxBytes: true }
const POLICIES: readonly unknown[] = ['continue', 'restart', 'keep'] satisfies WhenCut[]
const MAX_BYTES = 8 * 1024 * 1024

export interface StreamRules<Chunk> {
  readonly whenCut: NonNullable<StreamOptions<Chunk>['whenCut']>
  readonly maxBytes: number
}

export function streamRules<Chunk>(given: StreamOptions<Chunk>): StreamRules<Chunk> {
  const { whenCut = 'restart', maxBytes = MAX_BYTES } = checkOptions<StreamOptions<Chunk>>(
    'stream',
    given,
    STREAM,
  )
  if (typeof whenCut !== 'function') checkWhenCut(whenCut)
  if (typeof maxBytes !== 'number' || !(maxBytes >= 0)) throw invalid('maxBytes', 'a number of bytes from 0')
  return { whenCut, maxBytes }
}

export function checkWhenCut(policy: unknown, subject?: string): asserts policy is WhenCut {
  if (!POLICIES.includes(policy))
    throw invalid('whenCut', "'continue', 'restart', 'keep' or a function that gives one of them", subject)
}
