import { CheckpointerError } from '../errors.ts'
import { tellSince, type AskedOfMissed } from '../remote/catch-up.ts'
import { EVENTS, SIGN_EVERY } from '../remote/http.ts'
import { parseEvent, type EventSource, type Tell } from '../tabs/events.ts'
import { pause } from '../tabs/pause.ts'
import { whileHeard } from '../tabs/while-heard.ts'
import type { Reach } from './remote-host.ts'

/** Between two tries to reach the server, in milliseconds: doubled each time, up to the last. */
const PACE = [250, 15_000] as const

/**
 * What is done by others, while anybody listens. The stream may break: then it is begun anew, and what was saved
 * meanwhile is told; that something was deleted or pruned meanwhile is not, but that there was a gap.
 */
export function remoteEvents(reach: Reach, host: AskedOfMissed): EventSource {
  const gaps = new Set<() => void>()
  const tellGap = (): void => gaps.forEach((listener) => listener())
  return {
    ...whileHeard((tell) => {
      const following = new AbortController()
      void follow(reach, host, { tell, tellGap }, following.signal)
      return () => following.abort()
    }),
    onGap(listener) {
      const own = (): void => listener()
      gaps.add(own)
      return () => void gaps.delete(own)
    },
  }
}

interface Told {
  readonly tell: Tell
  readonly tellGap: () => void
}

async function follow(reach: Reach, host: AskedOfMissed, told: Told, signal: AbortSignal): Promise<void> {
  let since: number | undefined
  let wait: number = PACE[0]
  while (!signal.aborted) {
    try {
      await once(reach, signal, {
        async open() {
          if (since !== undefined) await tellMissed(host, since, told)
          wait = PACE[0]
        },
        tell: told.tell,
        seen: () => void (since = Date.now()),
      })
    } catch {
      // Calls say what is wrong; who only listens waits until it is better.
    }
    await pause(wait, signal).catch(() => {})
    wait = Math.min(wait * 2, PACE[1])
  }
}

/** Whoever is not told, as the server does not say, hears at least what comes from now on. */
async function tellMissed(host: AskedOfMissed, since: number, { tell, tellGap }: Told): Promise<void> {
  tellGap()
  try {
    await tellSince(host, since, tell)
  } catch (error) {
    if (CheckpointerError.is(error, 'WORKER_LOST')) throw error
  }
}

interface Heard {
  open(): Promise<void>
  readonly tell: Tell
  /** The other side has given a sign. */
  seen(): void
}

async function once(reach: Reach, signal: AbortSignal, { open, tell, seen }: Heard): Promise<void> {
  const silent = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const alive = (): void => {
    seen()
    clearTimeout(timer)
    timer = setTimeout(
      () => silent.abort(new CheckpointerError('WORKER_LOST', 'The server is silent.')),
      SIGN_EVERY * 3,
    )
  }
  try {
    const headers = await reach.headers()
    headers.set('accept', 'text/event-stream')
    const response = await reach.fetch(reach.at(EVENTS), {
      headers,
      signal: AbortSignal.any([signal, silent.signal]),
    })
    if (!response.ok || !response.body)
      throw new CheckpointerError('FAILED', `No events: ${response.status}.`)
    await open()
    alive()
    for await (const line of linesOf(response.body)) {
      alive()
      const event = line.startsWith('data: ') ? parseEvent(parsed(line.slice(6))) : undefined
      if (event) tell(event)
    }
  } finally {
    clearTimeout(timer)
    // One that was not read to its end would be held open, and a browser has six of them.
    silent.abort()
  }
}

const MOST_LINE = 2 ** 20

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > MOST_LINE) throw new RangeError('a line without end')
      yield* lines
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
