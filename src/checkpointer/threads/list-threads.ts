import type { CheckpointInfo, ThreadSummary } from '../../checkpoint.ts'
import { CheckpointerError } from '../../errors.ts'
import type { Host, StoredInfo, StoredSummary, ThreadsRequest } from '../../operations/host.ts'
import type { Codec } from '../../state/codec.ts'
import { checkLimit, checkOptions, checkSignal, invalid, timeOf, type Names } from '../options/options.ts'
import { toInfo } from '../states/fields.ts'
import { untilAborted } from '../until-aborted.ts'

/** Which threads are listed, and in which order. */
export interface ThreadsOptions {
  /** The most to give. All when absent. */
  readonly limit?: number | undefined
  /** `oldest` reads the whole list before it gives the first. */
  readonly order?: 'latest' | 'oldest' | undefined
  /** Only threads last changed before this. */
  readonly before?: Date | undefined
  /** Only threads that fit. */
  readonly where?: ((thread: ThreadSummary) => boolean) | undefined
  /** Stops it: the loop rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

const THREADS: Names<ThreadsOptions> = { limit: true, order: true, before: true, where: true, signal: true }

const PAGE = 100

interface Reader {
  readonly host: Host
  readonly codec: Codec
  readonly news: { readonly onWarning: (warning: CheckpointerError) => void }
}

export async function* listThreads(reader: Reader, given: ThreadsOptions): AsyncGenerator<ThreadSummary> {
  const options = checkOptions('threads', given, THREADS)
  const { limit = Number.POSITIVE_INFINITY, order = 'latest', before, where, signal } = options
  checkLimit(limit)
  if (before !== undefined && Number.isNaN(timeOf(before))) throw invalid('before', 'a date')
  if (where !== undefined && typeof where !== 'function')
    throw invalid('where', 'a function that is given a summary, `({ id }) => …`')
  checkSignal(signal)
  if (order !== 'latest' && order !== 'oldest') throw invalid('order', "'latest' or 'oldest'")
  const found = latestFirst(reader, options)
  let left = limit
  if (left === 0) return
  for await (const summary of order === 'latest' ? found : reversed(found)) {
    yield summary
    if (--left === 0) return
  }
}

async function* latestFirst(
  reader: Reader,
  { before, where, signal, order, limit = PAGE }: ThreadsOptions,
): AsyncGenerator<ThreadSummary> {
  // No more than are given, unless some of them are left out or more come behind.
  let page = where || order === 'oldest' ? PAGE : Math.min(limit, PAGE)
  // Ranks are whole milliseconds: what is lower than this by half of one came before.
  let after: ThreadsRequest['after'] = before && { rank: timeOf(before) - 0.5, thread: '' }
  for (;;) {
    const request = { limit: page, ...(after ? { after } : {}) }
    const reply = await untilAborted(signal, () => reader.host.threads(request))
    for (const item of reply.items) {
      const summary = summaryOf(reader, item)
      if (!where || where(summary)) yield summary
    }
    if (!reply.next) return
    after = reply.next
    page = PAGE
  }
}

async function* reversed<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  yield* all.reverse()
}

function summaryOf(
  reader: Reader,
  { thread, createdAt, updatedAt, label, forkOf, head, otherHeads }: StoredSummary,
): ThreadSummary {
  return {
    id: thread,
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
    ...(label === undefined ? {} : { label }),
    ...(forkOf ? { forkOf } : {}),
    ...(head ? { head: headOf(reader, thread, head) } : {}),
    ...(otherHeads ? { otherHeads } : {}),
  }
}

/** What it says in `extra` may be of a class that is not registered here: that must not hide the thread, nor the others. */
function headOf({ codec, news }: Reader, thread: string, head: StoredInfo): CheckpointInfo {
  const place = { thread, namespace: '' }
  try {
    return toInfo(codec, place, head)
  } catch (cause) {
    if (!CheckpointerError.is(cause)) throw cause
    const { extra: _unread, ...rest } = head
    const message = `Listed without its extra: ${cause.message}`
    news.onWarning(new CheckpointerError(cause.code, message, { thread, seq: head.seq, cause }))
    return toInfo(codec, place, rest)
  }
}
