import { pauses } from './state/slices/pause.ts'

/** What a CompressionStream or a DecompressionStream is. */
interface Pair {
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>
  readonly writable: WritableStream<BufferSource>
}

/**
 * Bytes through a stream, no faster than they are taken. They go in so many at a time: an engine may work them all
 * off at once, and hold all that comes of them.
 */
export async function* through(
  source: AsyncIterable<Uint8Array>,
  { readable, writable }: Pair,
  atATime: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = readable.getReader()
  const writer = writable.getWriter()
  // A stream is no pause by itself: what it does it may do before any other task.
  const pause = pauses()
  const feeding = (async () => {
    for await (const chunk of source)
      for (let at = 0; at < chunk.length; at += atATime) {
        await writer.write(chunk.slice(at, at + atATime))
        await pause()
      }
    await writer.close()
  })()
  // Engines differ in whether a reader learns that its writer has failed. A race of each read with that one promise
  // would keep all that was ever read.
  let failed: { readonly reason: unknown } | undefined
  let fail = (_reason: unknown): void => {}
  feeding.catch((reason: unknown) => {
    failed = { reason }
    fail(reason)
  })
  const read = (): ReturnType<typeof reader.read> =>
    new Promise((resolve, reject) => {
      fail = reject
      if (failed) fail(failed.reason)
      else reader.read().then(resolve, reject)
    })
  try {
    for (;;) {
      const { value, done } = await read()
      if (done) break
      yield value
    }
    await feeding
  } finally {
    // Whichever end stopped first, neither waits for the other.
    reader.cancel().catch(() => {})
    writer.abort().catch(() => {})
  }
}
