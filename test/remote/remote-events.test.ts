import { CheckpointerError, type CheckpointerEvent, type ErrorCode } from 'forkpoint'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Reach } from '../../src/client/remote-host.ts'
import { remoteEvents } from '../../src/client/remote-events.ts'
import type { AskedOfMissed } from '../../src/remote/catch-up.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const saved: CheckpointerEvent = { type: 'saved', thread: 't', namespace: '', seq: 1, id: 'a' }

/** A server whose first stream breaks, and which answers with this code when it is asked what was missed. */
function breaking(code: ErrorCode) {
  const open = new Set<ReadableStreamDefaultController<Uint8Array>>()
  let begun = 0
  const reach: Reach = {
    at: (name) => new URL(`http://localhost/${name}`),
    headers: async () => new Headers(),
    timeout: 1_000,
    async fetch(_, init) {
      const isFirst = begun++ === 0
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          const end = (): void => {
            open.delete(controller)
            controller.error(new Error('aborted'))
          }
          if (isFirst) setTimeout(end, 10)
          init?.signal?.addEventListener('abort', end)
          open.add(controller)
          controller.enqueue(new TextEncoder().encode(':\n\n'))
        },
      })
      return new Response(body)
    },
  }
  const host: Partial<AskedOfMissed> = {
    threads: () => Promise.reject(new CheckpointerError(code, 'What was missed is not told.')),
  }
  const say = (event: CheckpointerEvent): void => {
    for (const controller of open)
      controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`))
  }
  return { events: remoteEvents(reach, host as AskedOfMissed), begun: () => begun, open, say }
}

describe('a stream that is begun anew', () => {
  it('is let go of when the server is gone again, and tried for less and less often', async () => {
    const { events, begun, open } = breaking('WORKER_LOST')
    const leave = events.subscribe(() => {})
    await vi.advanceTimersByTimeAsync(10_000)
    expect(open.size).toBe(0)
    expect(begun()).toBeLessThan(8)
    leave()
  })

  it('is listened to although nobody says what was missed, and that there was a gap is told', async () => {
    const { events, begun, open, say } = breaking('UNSUPPORTED')
    const heard: CheckpointerEvent[] = []
    const leave = events.subscribe((event) => void heard.push(event))
    let gaps = 0
    events.onGap?.(() => gaps++)
    await vi.advanceTimersByTimeAsync(10_000)
    say(saved)
    await vi.advanceTimersByTimeAsync(1)
    expect([begun(), open.size, gaps, heard]).toEqual([2, 1, 1, [saved]])
    leave()
    await vi.advanceTimersByTimeAsync(1)
    expect(open.size).toBe(0)
  })
})
