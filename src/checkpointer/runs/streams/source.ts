import { CheckpointerError } from '../../../errors.ts'
import { reading } from '../../options/options.ts'

/** What gives chunks by itself. */
type Chunks<Chunk> = AsyncIterable<Chunk> | ReadableStream<Chunk>

/**
 * What can be streamed: an async iterable, a ReadableStream, or what the AI SDK gives. Of that `fullStream` is taken,
 * or `textStream` when there is only that.
 */
export type StreamSource<Chunk> =
  | Chunks<Chunk>
  | { readonly fullStream: Chunks<Chunk> }
  | { readonly textStream: Chunks<Chunk>; readonly fullStream?: undefined }

/** A source that is being read, a chunk at a time. */
export interface Reading<Chunk> {
  next(): Promise<IteratorResult<Chunk, unknown>>
  /** No more is wanted. */
  cancel(reason: unknown): Promise<unknown>
}

/** Refuses what cannot be streamed, and begins nothing. */
export function checkSource<Chunk>(source: unknown): asserts source is StreamSource<Chunk> {
  const isOne = reading(
    'source',
    () => isChunks(source) || (isObject(source) && ('fullStream' in source || 'textStream' in source)),
  )
  if (!isOne) throw notASource()
}

/**
 * Takes the reader of what has one, also where it could be iterated: WebKit's streams cannot be, and a reader ends a
 * read that is under way when it is cancelled.
 */
export function openSource<Chunk>(source: StreamSource<Chunk>): Reading<Chunk> {
  return reading('source', () => {
    if (isStream(source)) return ofStream(source)
    if (isIterable(source)) return ofIterator(source[Symbol.asyncIterator]())
    // Each look at such a property may begin something: of the AI SDK's, a copy of the stream.
    const inner = source.fullStream ?? ('textStream' in source ? source.textStream : undefined)
    if (!isChunks<Chunk>(inner)) throw notASource()
    return openSource(inner)
  })
}

function ofStream<Chunk>(stream: ReadableStream<Chunk>): Reading<Chunk> {
  if (stream.locked)
    throw new CheckpointerError(
      'INVALID',
      'The stream is read by another already: use `tee()`, or give a function that makes it.',
      { path: 'source' },
    )
  const reader = stream.getReader()
  return { next: () => reader.read(), cancel: (reason) => reader.cancel(reason) }
}

function ofIterator<Chunk>(iterator: AsyncIterator<Chunk, unknown>): Reading<Chunk> {
  return {
    next: () => iterator.next(),
    cancel: async () => iterator.return?.(),
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const isStream = <Chunk>(value: unknown): value is ReadableStream<Chunk> =>
  isObject(value) && 'getReader' in value && typeof value.getReader === 'function'

const isIterable = <Chunk>(value: unknown): value is AsyncIterable<Chunk> =>
  isObject(value) && Symbol.asyncIterator in value && typeof value[Symbol.asyncIterator] === 'function'

const isChunks = <Chunk>(value: unknown): value is Chunks<Chunk> =>
  isStream<Chunk>(value) || isIterable<Chunk>(value)

const notASource = (): CheckpointerError =>
  new CheckpointerError(
    'INVALID',
    'source must be an async iterable, a ReadableStream, an AI SDK result, or a function that gives one of them.',
    { path: 'source' },
  )
