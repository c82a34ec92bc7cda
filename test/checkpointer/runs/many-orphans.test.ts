import { expect, it, onTestFinished } from 'vitest'
import { Orphans } from '../../../src/checkpointer/runs/seen/orphans.ts'
import { createHost } from '../../../src/operations/create-host.ts'
import type { StoredRun } from '../../../src/operations/host.ts'
import { createCodec } from '../../../src/state/codec.ts'
import { toBytes } from '../../../src/state/json-bytes.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { localEvents } from '../../../src/tabs/events.ts'

const MANY = 1_002

const runOf = (thread: string, turn: string): StoredRun => ({
  id: `run of ${thread}`,
  status: 'running',
  turn,
  began: 1,
  at: 1,
})

it('orphans are told however many there are that nobody takes up, once for each turn', async () => {
  const events = localEvents()
  const host = await createHost({ storage: memoryStorage(), publish: (event) => events.publish(event) })
  const threads = Array.from({ length: MANY }, (_, n) => `t${n}`)
  for (const thread of threads) {
    const run = runOf(thread, 'first')
    const key = `key of ${thread}`
    await host.save({
      thread,
      namespace: '',
      key,
      createdAt: 1,
      fields: {},
      frame: { body: toBytes({}) },
      run,
    })
  }
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const told: string[] = []
  const leases = { isHeld: async () => false }
  const onWarning = (warning: Error): void => {
    throw warning
  }
  const news = { subscribe: events.subscribe, onWarning }
  const orphans = new Orphans(
    { host, codec: createCodec(), leases, news, closed: stop.signal },
    ({ thread }) => void told.push(thread),
    { signal: stop.signal, pace: { look: 1, often: 2, rarely: 2 } },
  )
  orphans.follow().catch(() => {})
  await expect.poll(() => told.length, { timeout: 10_000 }).toBe(MANY)
  expect(new Set(told)).toEqual(new Set(threads))
  const again = { thread: 't0', namespace: '', checkpoint: 1, writes: [], run: runOf('t0', 'second') }
  await host.putWrites(again)
  await expect.poll(() => told.length).toBe(MANY + 1)
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(told.slice(MANY)).toEqual(['t0'])
})
