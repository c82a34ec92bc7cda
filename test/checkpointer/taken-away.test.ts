import { CheckpointerError, openCheckpointer, type Host } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createHost } from '../../src/operations/create-host.ts'
import { beatClaims } from '../../src/tabs/beat-claims.ts'
import { polledEvents } from '../../src/tabs/polled-events.ts'

/** A database that was taken away is told once: whatever hears it beside the callers' calls must pass it on. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const CODES = ['EVICTED', 'CLOSED'] as const

function listening() {
  const told: string[] = []
  return { told, onWarning: ({ code }: CheckpointerError): void => void told.push(code) }
}

const taken = (code: (typeof CODES)[number]): CheckpointerError => new CheckpointerError(code, 'Taken away.')

/** Is told once, as a storage does, and goes well before and after that. */
function telling<T>(work: () => Promise<T>) {
  let untold: Error | undefined
  return {
    tell: (error: Error): void => void (untold = error),
    call: async (): Promise<T> => {
      const error = untold
      untold = undefined
      if (error) throw error
      return work()
    },
  }
}

it.each(CODES)('what makes saves durable when all is quiet: %s', async (code) => {
  const { told, onWarning } = listening()
  const host = await createHost({ storage: memoryStorage() })
  const flush = telling(() => host.flush())
  const quiet: Host = { ...host, flush: flush.call }
  const checkpointer = await openCheckpointer({ name: 'q', host: quiet, durability: 'async', onWarning })
  await checkpointer.thread('t').save({ n: 1 })
  await vi.advanceTimersByTimeAsync(100)
  flush.tell(taken(code))
  await vi.advanceTimersByTimeAsync(10_000)
  expect(told).toEqual([code])
  await expect(checkpointer.flush()).rejects.toMatchObject({ code })
  await checkpointer.flush()
  await checkpointer.close()
  expect(told).toEqual([code])
})

it.each(CODES)('work in the background: %s', async (code) => {
  vi.useRealTimers()
  const { told, onWarning } = listening()
  const storage = memoryStorage()
  const commit = storage.commit.bind(storage)
  let untold: Error | undefined
  storage.commit = async (partition, batch) => {
    const error = untold
    untold = undefined
    if (error) throw error
    return commit(partition, batch)
  }
  const host = await createHost({ storage, onWarning })
  const reply = await host.takeLease({ thread: 't', key: 'claim', always: true })
  if (!('lease' in reply)) expect.unreachable()
  await host.keepLease({ thread: 't', lease: reply.lease, every: 10, times: 3 })
  untold = taken(code)
  await vi.waitFor(() => expect(told).toEqual([code]))
  await host.close()
})

it.each(CODES)('looks for changes: %s', async (code) => {
  const { told, onWarning } = listening()
  const host = await createHost({ storage: memoryStorage() })
  const threads = telling(() => host.threads({ limit: 1 }))
  const events = polledEvents({ threads: threads.call }, onWarning)
  events.subscribe(() => {})
  threads.tell(new Error('Something else.'))
  await vi.advanceTimersByTimeAsync(1_500)
  threads.tell(taken(code))
  await vi.advanceTimersByTimeAsync(5_000)
  expect(told).toEqual(['FAILED', code])
  events.close()
})

it.each(CODES)('signs of life: %s', async (code) => {
  vi.useRealTimers()
  const { told, onWarning } = listening()
  const host = await createHost({ storage: memoryStorage() })
  let untold: Error | undefined
  const keepLease: Host['keepLease'] = async (request) => {
    const error = untold
    untold = undefined
    if (error) throw error
    return host.keepLease(request)
  }
  const pace = { look: 10, silence: 20, beat: 20, beats: 1_000 }
  const claims = beatClaims({ ...host, keepLease }, onWarning, pace)
  const claim = await claims.claim('t', {
    steal: false,
    now: true,
    signal: new AbortController().signal,
    onLost: () => {},
  })
  untold = taken(code)
  await vi.waitFor(() => expect(told).toEqual([code]))
  await claim.end()
})
