import { unref } from '../../../platform/unref.ts'
import { checkOptions, checkSignal, type Names } from '../../options/options.ts'
import { part } from '../../../part.ts'
import type { NewsSource } from '../../leases/news.ts'
import { untilAborted } from '../../until-aborted.ts'
import { linkedController } from '../linked-signal.ts'
import type { WatchEvent } from './events.ts'
import type { Followed } from './watch.ts'

/** How long a thread is followed. */
export interface WatchOptions {
  /** Ends it: the loop rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

const WATCH: Names<WatchOptions> = { signal: true }

/** Between two looks where not all news is heard, in milliseconds. */
const PACE = 1_000

interface Sources<State> extends Followed<State> {
  readonly news: NewsSource
  /** Aborted when the checkpointer closes. */
  readonly closed: AbortSignal
}

/** What comes of a thread from now on, until the signal is aborted or the checkpointer is closed. */
export function followThread<State>(
  sources: Sources<State>,
  options: WatchOptions,
): AsyncIterable<WatchEvent<State>> {
  const { signal } = checkOptions('watch', options, WATCH)
  checkSignal(signal)
  return { [Symbol.asyncIterator]: () => leavable((left) => follow(sources, signal, left)) }
}

/** Who waits for news would not hear that the loop was left: so that is a signal too. */
function leavable<T>(make: (left: AbortSignal) => AsyncGenerator<T, undefined>): AsyncIterator<T, undefined> {
  const left = new AbortController()
  const items = make(left.signal)
  return {
    next: () => items.next(),
    return() {
      left.abort()
      return items.return(undefined)
    },
  }
}

/** Nothing is heard, and nothing held, before the first is asked for. */
async function* follow<State>(
  sources: Sources<State>,
  given: AbortSignal | undefined,
  left: AbortSignal,
): AsyncGenerator<WatchEvent<State>, undefined> {
  const { news, closed } = sources
  const { Watch } = await part(() => import('./watch.ts'))
  const { controller, unlink } = linkedController([given, closed, left])
  const { signal } = controller
  const watch = new Watch(sources)
  const leave = news.subscribe((event) => watch.hear(event))
  const leaveGaps = news.onGap?.(() => watch.doubt())
  const polling = news.hearsAll ? undefined : setInterval(() => watch.doubt(), PACE)
  unref(polling)
  try {
    for (;;) {
      const news = watch.news()
      for (;;) {
        const { done, value } = await untilAborted(signal, () => news.next())
        if (done) break
        yield value
      }
      await watch.bell.heard(signal)
    }
  } catch (error) {
    if (given?.aborted) throw given.reason
    if (signal.aborted) return undefined
    throw error
  } finally {
    leave()
    leaveGaps?.()
    clearInterval(polling)
    unlink()
  }
}
