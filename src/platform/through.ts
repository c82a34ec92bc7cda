import { pauses } from '../state/slices/pause.ts'

/** What a CompressionStream or a DecompressionStream is. */
interface Pair {
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>
  readonly writable: WritableStream<BufferSource>
}

/** How many bytes go in at first, and at least. */
const LEAST = 256
/** About as many as may come out of what goes in at a time. */
const LARGE = 256 * 1024

/**
 * Bytes through a stream, no faster than they are taken. They go in a few at a time: an engine works them all off at once,
 * and holds all that comes of them, which of what is packed may be a thousand times as many.
 */
export async function* through(
  source: AsyncIterable<Uint8Array>,
  { readable, writable }: Pair,
  mostAtATime: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = readable.getReader()
  const writer = writable.getWriter()
  // A stream is no pause by itself: what it does it may do before any other task.
  const pause = pauses()
  let atATime = LEAST
  // Of late, each write half as much as the one after it: what comes out does so a moment later.
  let wentIn = 0
  let cameOut = 0
  const feeding = (async () => {
    for await (const chunk of source)
      for (let at = 0; at < chunk.length;) {
        const piece = chunk.slice(at, at + atATime)
        await writer.write(piece)
        at += piece.length
        wentIn = wentIn / 2 + piece.length
        const fitting = Math.floor((LARGE * wentIn) / Math.max(1, cameOut))
        atATime = Math.max(LEAST, Math.min(fitting, 2 * atATime, mostAtATime))
        cameOut /= 2
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
      cameOut += value.length
      yield value
    }
    await feeding
  } finally {
    // Whichever end stopped first, neither waits for the other.
    reader.cancel().catch(() => {})
    writer.abort().catch(() => {})
  }
}
