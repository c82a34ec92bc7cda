import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it } from 'vitest'
import { createHost } from '../../src/operations/create-host.ts'
import type { SaveRequest } from '../../src/operations/host.ts'

const place = { thread: 't', namespace: '' }
const MANY = 20_000

const saves = (more: Partial<SaveRequest> = {}): SaveRequest[] =>
  Array.from({ length: MANY }, (_, i) => ({
    ...place,
    key: `k${i}`,
    createdAt: 1,
    fields: {},
    frame: { body: new Uint8Array([0x31]) },
    ...more,
  }))

/** For how long nothing else was done, in milliseconds. */
async function longestStretch(work: () => Promise<unknown>): Promise<number> {
  let [longest, last] = [0, performance.now()]
  const look = (): void => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }
  const looks = setInterval(look, 1)
  await work()
  clearInterval(looks)
  look()
  return longest
}

// A server has others to answer: who may save to one thread may send as many as this at once.
it.each([
  ['new ones', {}],
  ['that may be there already', { retry: true }],
] as const)('many saves in one call keep nobody else waiting: %s', async (_, more) => {
  const host = await createHost({ storage: memoryStorage() })
  const stretch = await longestStretch(async () => {
    const saved = await host.saveMany({ ...place, saves: saves(more) })
    expect(saved.map(({ seq }) => seq)).toEqual(Array.from({ length: MANY }, (_each, i) => i + 1))
  })
  // It is some 20, and was thousands.
  expect(stretch).toBeLessThan(500)
})
