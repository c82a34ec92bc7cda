import 'fake-indexeddb/auto'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { CheckpointerEvent } from '../../src/checkpoint.ts'
import type { Host, StoredSummary } from '../../src/operations/host.ts'
import { polledEvents } from '../../src/tabs/polled-events.ts'
import { pollingLaws } from '../support/polling-laws.ts'

describe('without channels', () => pollingLaws(false))

const PACE = 1_000

/** A list that the test writes, on a clock that it turns. */
function listed(answer: () => Awaited<ReturnType<Host['threads']>>) {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const threads = vi.fn<Host['threads']>(async () => answer())
  const onWarning = vi.fn<(warning: Error) => void>()
  const events = polledEvents({ threads }, onWarning)
  const heard: CheckpointerEvent[] = []
  const listen = (): (() => void) => events.subscribe((event) => heard.push(event))
  const pass = (time = PACE): Promise<unknown> => vi.advanceTimersByTimeAsync(time)
  return { events, threads, onWarning, heard, listen, pass }
}

const summary = (thread: string, at: number, seq = 1): StoredSummary => ({
  thread,
  createdAt: 1,
  updatedAt: at,
  head: { seq, id: `${thread} ${seq}`, createdAt: at },
})

describe('the polling', () => {
  it('goes on only while somebody listens', async () => {
    const { events, threads, listen, pass } = listed(() => ({ items: [] }))
    await pass()
    expect(threads).not.toHaveBeenCalled()
    const leave = listen()
    await pass(3 * PACE)
    expect(threads.mock.calls.length).toBeGreaterThanOrEqual(3)
    leave()
    const before = threads.mock.calls.length
    await pass(10 * PACE)
    expect(threads).toHaveBeenCalledTimes(before)
    listen()
    await pass()
    expect(threads.mock.calls.length).toBeGreaterThan(before)
    events.close()
    const last = threads.mock.calls.length
    await pass(10 * PACE)
    expect(threads).toHaveBeenCalledTimes(last)
  })

  it('says once that it cannot look, and tells later what it missed', async () => {
    let isBroken = false
    let items = [summary('t', 5)]
    const { onWarning, heard, listen, pass } = listed(() => {
      if (isBroken) throw new Error('broken')
      return { items }
    })
    listen()
    await pass()
    isBroken = true
    await pass(5 * PACE)
    expect(onWarning).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'FAILED' }))
    isBroken = false
    items = [summary('t', 9, 4)]
    await pass()
    expect(heard).toEqual([{ type: 'saved', thread: 't', namespace: '', seq: 4, id: 't 4' }])
  })

  it('takes nothing for deleted that has only slipped off a list that goes on', async () => {
    let reply: Awaited<ReturnType<Host['threads']>> = { items: [summary('b', 6), summary('a', 5)] }
    const { heard, listen, pass } = listed(() => reply)
    listen()
    await pass()
    const later = Date.now() + 5
    const next = { rank: 6, thread: 'b' }
    reply = { items: [summary('c', later), summary('b', 6)], next }
    await pass()
    expect(heard).toMatchObject([{ type: 'saved', thread: 'c' }])
    reply = { items: [summary('d', later + 1), summary('b', 6)], next }
    await pass()
    expect(heard.slice(1)).toMatchObject([
      { type: 'deleted', thread: 'c' },
      { type: 'saved', thread: 'd' },
    ])
  })

  it('forgets what has slipped off, and takes it for no news when it is back as it was', async () => {
    const since = Date.now()
    let reply: Awaited<ReturnType<Host['threads']>> = { items: [summary('a', since + 5)] }
    const { heard, listen, pass } = listed(() => reply)
    listen()
    await pass()
    reply = { items: [summary('b', since + 10_000)], next: { rank: 1, thread: 'b' } }
    await pass()
    heard.length = 0
    reply = { items: [summary('b', since + 10_000), summary('a', since + 5)] }
    await pass()
    expect(heard).toEqual([])
    reply = { items: [summary('b', since + 10_000)], next: { rank: 1, thread: 'b' } }
    await pass()
    reply = { items: [summary('b', since + 10_000)] }
    await pass()
    // Nobody looks at it any more.
    expect(heard).toEqual([])
  })
})
