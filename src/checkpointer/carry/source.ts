import { invalid, reading } from '../options/options.ts'
import { untilAborted } from '../until-aborted.ts'

/** Where a file may come from. A `File` is a Blob. */
export type ImportSource =
  | AsyncIterable<Uint8Array>
  | ReadableStream<Uint8Array>
  | Blob
  | Uint8Array
  | ArrayBuffer

/** The other side gets so many bytes at a time. */
const MOST_AT_ONCE = 64 * 1024

/** The bytes of a source in small copies of our own. Stops reading as soon as the signal says so. */
export async function* bytesOf(
  source: ImportSource,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  signal?.throwIfAborted()
  const { next, stop } = readerOf(source)
  let isDone = false
  try {
    for (;;) {
      const { done, value } = await untilAborted(signal, next)
      isDone = done === true
      if (isDone) return
      if (!isBytes(value)) throw invalid('source', 'of Uint8Arrays', 'What is imported')
      for (let at = 0; at < value.length; at += MOST_AT_ONCE) yield value.slice(at, at + MOST_AT_ONCE)
    }
  } finally {
    // Not waited for: a source that hangs must not keep the caller.
    if (!isDone) stop().catch(() => {})
  }
}

interface Reading {
  readonly next: () => Promise<{ readonly done?: boolean | undefined; readonly value?: unknown }>
  readonly stop: () => Promise<unknown>
}

/** Not every engine can loop over a ReadableStream, so it is read by its reader. */
function readerOf(source: ImportSource): Reading {
  return reading('source', () => {
    if (isBytes(source) || source instanceof ArrayBuffer) return readerOf(new Blob([source as BlobPart]))
    const from: Partial<Blob & ReadableStream & AsyncIterable<unknown>> | null = source as object | null
    const stream = typeof from?.stream === 'function' ? from.stream() : from
    if (typeof (stream as Partial<ReadableStream> | null)?.getReader === 'function') {
      const reader = (stream as ReadableStream<unknown>).getReader()
      return { next: () => reader.read(), stop: () => reader.cancel() }
    }
    const iterator = (stream as Partial<AsyncIterable<unknown>> | null)?.[Symbol.asyncIterator]?.()
    if (!iterator)
      throw invalid('source', 'bytes, a Blob, a ReadableStream or an async iterable of Uint8Arrays')
    return { next: () => iterator.next(), stop: async () => iterator.return?.() }
  })
}

/** Also those of another window. */
const isBytes = (value: unknown): value is Uint8Array =>
  Object.prototype.toString.call(value) === '[object Uint8Array]'
