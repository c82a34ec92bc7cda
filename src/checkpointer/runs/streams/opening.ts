import { CheckpointerError, reportFailure } from '../../../errors.ts'
import { untilAborted } from '../../until-aborted.ts'
import type { OpenStream, StreamCall } from './options.ts'
import { checkSource, openSource, type Reading, type StreamSource } from './source.ts'

/** What the caller gave to be streamed. */
export type GivenSource<Chunk> = StreamSource<Chunk> | OpenStream<Chunk>

/** Begins to read; of a function, what it gives. Rejects with the signal's reason as soon as it is aborted. */
export async function openGiven<Chunk>(given: GivenSource<Chunk>, call: StreamCall): Promise<Reading<Chunk>> {
  const { signal } = call
  if (typeof given !== 'function') return openSource(given)
  const making = (async () => given(call))()
  try {
    const source = await untilAborted(signal, () => making)
    checkSource<Chunk>(source)
    return openSource(source)
  } catch (error) {
    if (signal.aborted) void making.then((late) => cancelUnread(late, signal.reason)).catch(() => {})
    throw error
  }
}

/** A source that nobody will read: it may hold a connection. One that cannot be opened needs no end. */
export async function cancelUnread<Chunk>(given: GivenSource<Chunk>, reason: unknown): Promise<void> {
  if (typeof given === 'function') return
  const unread = (() => {
    try {
      return openSource(given)
    } catch {
      return undefined
    }
  })()
  if (unread) await cancel(unread, reason)
}

/** What a source throws when it is told to end is its own; that it was aborted is no news. */
export async function cancel(reading: Reading<unknown>, reason: unknown): Promise<void> {
  try {
    await reading.cancel(reason)
  } catch (error) {
    if (error !== reason && !isAbort(error)) reportFailure(error)
  }
}

const isAbort = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && (error as { name?: unknown }).name === 'AbortError'

export const notWanted = (): DOMException =>
  new DOMException('No more of the stream is wanted.', 'AbortError')

export const cannotContinue = (): CheckpointerError =>
  new CheckpointerError(
    'INVALID',
    "A source that is there already cannot continue from chunks it does not know. Give a function, `({ chunks }) => …`, or another `whenCut` than 'continue'.",
    { path: 'whenCut' },
  )
