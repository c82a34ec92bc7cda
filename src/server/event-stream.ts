import type { CheckpointerEvent } from '../checkpoint.ts'
import { SIGN_EVERY } from '../remote/http.ts'

type Listener = (event: CheckpointerEvent) => void

/** A caller that reads no more than this is behind for good: it is cut off, and looks again when it comes back. */
const MOST_WAITING = 1_000
/** A stream ends after so many milliseconds: callers come back at once, and nobody holds one for ever. */
const LONGEST = 4 * 60_000

export interface Streamed {
  readonly subscribe: (listener: Listener) => () => void
  /** Tells that something may not have been heard. */
  readonly onGap?: ((listener: () => void) => () => void) | undefined
  readonly isAllowed: (thread: string) => Promise<boolean>
  readonly signal: AbortSignal
}

/**
 * Changes as server-sent events, each after it was asked whether its threads are for this caller. Where some may be
 * missing the stream ends: who comes back looks at what was changed meanwhile.
 */
export function eventStream({ subscribe, onGap, isAllowed, signal }: Streamed): Response {
  const encoder = new TextEncoder()
  let end = (): void => {}
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        let told: Promise<void> = Promise.resolve()
        let waiting = 0
        const write = (text: string): void => controller.enqueue(encoder.encode(text))
        // First, as it throws where the store is closed: then nothing has begun that somebody would have to end.
        const unsubscribe = subscribe((event) => {
          waiting++
          if (waiting > MOST_WAITING || (controller.desiredSize ?? 0) < -MOST_WAITING) return stop()
          told = told
            .then(async () => {
              if (await isFor(event, isAllowed)) write(`data: ${JSON.stringify(event)}\n\n`)
            })
            // Closed meanwhile, or nobody can say whether it may be told.
            .catch(stop)
            .finally(() => waiting--)
        })
        function stop(): void {
          end()
          try {
            controller.close()
          } catch {
            // It was closed from the other side.
          }
        }
        const sign = setInterval(() => write(':\n\n'), SIGN_EVERY)
        const limit = setTimeout(stop, LONGEST)
        end = () => {
          clearInterval(sign)
          clearTimeout(limit)
          unsubscribe()
          leaveGaps?.()
          signal.removeEventListener('abort', stop)
        }
        const leaveGaps = onGap?.(stop)
        signal.addEventListener('abort', stop)
        if (signal.aborted) stop()
        else write(':\n\n')
      },
      cancel: () => end(),
    },
    { highWaterMark: 16 },
  )
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
      'x-content-type-options': 'nosniff',
    },
  })
}

async function isFor(
  event: CheckpointerEvent,
  isAllowed: (thread: string) => Promise<boolean>,
): Promise<boolean> {
  if (!('thread' in event)) return true
  if (!(await isAllowed(event.thread))) return false
  return event.type !== 'forked' || isAllowed(event.from)
}
