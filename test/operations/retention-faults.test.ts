import { CheckpointerError, openCheckpointer, type Storage } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it, vi } from 'vitest'
import { Weights } from '../../src/operations/retention/weights.ts'
import type { Store } from '../../src/operations/store/store.ts'
import { FAULTS, faultyStorage, type Fault } from '../faults/support/faulty-storage.ts'

const SAVES = 20
const KEPT = 3
/** More operations than a save with all that it lets go makes. */
const MOST = 40

const state = (n: number) => ({ n, text: `${n} `.repeat(200) })

async function prepared(): Promise<Storage> {
  const storage = Object.assign(memoryStorage(), { close: async () => {} })
  const checkpointer = await openCheckpointer({ name: 'faults', storage })
  const thread = checkpointer.thread('a')
  for (let n = 1; n <= SAVES; n++) await thread.save(state(n))
  await thread.fork({ at: 5, as: 'fork' })
  await checkpointer.thread('fork', { retention: false }).save(state(6))
  await checkpointer.close()
  return storage
}

/** Saves once more, which lets go of what is too much; gives whether the fault came, and the save was acknowledged. */
async function lettingGo(storage: Storage, fault: Fault, at: number) {
  const faulty = faultyStorage(storage, fault, at)
  let acknowledged = false
  try {
    const checkpointer = await openCheckpointer({
      name: 'faults',
      storage: faulty.storage,
      retention: { keepLast: KEPT },
      onWarning: () => {},
    })
    await checkpointer
      .thread('a')
      .save(state(SAVES + 1))
      .then(() => (acknowledged = true))
      .catch(() => {})
    const done = faulty.count()
    // Longer than it takes to begin; then until nothing more is asked of the storage.
    for (let before = done, same = 0; same < 3; before = faulty.count()) {
      await new Promise((resolve) => setTimeout(resolve, 12))
      same = faulty.count() === before && before > done ? same + 1 : before > done ? 0 : same + 0.5
    }
    await checkpointer.close().catch(() => {})
  } catch (error) {
    if (!CheckpointerError.is(error)) throw error
  }
  return { reached: faulty.count() >= at, acknowledged }
}

it.each(FAULTS)('what retention does is whole when an operation %s', { timeout: 60_000 }, async (fault) => {
  let hasLetGo = false
  for (let at = 1; ; at++) {
    expect(at).toBeLessThan(MOST)
    const storage = await prepared()
    const { reached, acknowledged } = await lettingGo(storage, fault, at)
    const checkpointer = await openCheckpointer({ name: 'faults', storage })
    const thread = checkpointer.thread('a')
    const seqs: number[] = []
    for await (const { seq, state: found } of thread.history({ states: true, order: 'oldest' })) {
      seqs.push(seq)
      expect(found).toEqual(state(seq))
    }
    const last = acknowledged || seqs.includes(SAVES + 1) ? SAVES + 1 : SAVES
    // All of it or nothing of it: it fits one bite.
    const all = Array.from({ length: last }, (_, i) => i + 1)
    expect([all, all.slice(-KEPT)]).toContainEqual(seqs)
    hasLetGo ||= seqs.length === KEPT
    for (let n = 1; n <= 5; n++) expect((await checkpointer.thread('fork').load(n))?.state).toEqual(state(n))
    expect((await checkpointer.verify()).problems, `at ${at}`).toEqual([])
    await checkpointer.close()
    if (!reached) break
  }
  expect(hasLetGo).toBe(true)
})

it('a reading of what is stored that fails is made again, and nothing that was known is forgotten', async () => {
  const storage = Object.assign(memoryStorage(), { close: async () => {} })
  const checkpointer = await openCheckpointer({ name: 'weights', storage })
  for (let n = 0; n < 5; n++) await checkpointer.thread(`t${n}`).save(state(n))
  await checkpointer.close()
  const read = storage.read.bind(storage)
  const weights = new Weights({ storage } as unknown as Store, 1_000_000)
  const readAll = async (): Promise<void> => {
    for await (const _ of weights.readAll());
  }
  await readAll()
  const { known } = weights
  expect(known).toBeGreaterThan(5 * 200)
  weights.put('t0', 600_000)
  expect(weights.isToBeRead).toBe(true)
  let calls = 0
  storage.read = (...args) => (++calls > 3 ? Promise.reject(new Error('busy')) : read(...args))
  await expect(readAll()).rejects.toThrow('busy')
  expect([weights.isToBeRead, weights.known]).toEqual([true, known])
  storage.read = read
  await readAll()
  expect([weights.isToBeRead, weights.known]).toEqual([false, known])
})

it('a reading that fails is not made again with every save', async () => {
  const storage = Object.assign(memoryStorage(), { close: async () => {} })
  const before = await openCheckpointer({ name: 'ceiling', storage })
  for (let n = 0; n < 10; n++) await before.thread(`t${n}`).save(state(n))
  await before.close()
  const read = storage.read.bind(storage)
  let failed = 0
  storage.read = (partition, queries) => {
    const isAll = partition === 't5' && queries.some((query) => 'from' in query && query.limit !== undefined)
    return isAll ? Promise.reject(new Error(`busy ${++failed}`)) : read(partition, queries)
  }
  const retention = { maxBytes: 50_000_000 }
  const checkpointer = await openCheckpointer({ name: 'ceiling', storage, retention, onWarning: () => {} })
  for (let n = 0; n < 5; n++) {
    await checkpointer.thread('a').save(state(n))
    await new Promise((resolve) => setTimeout(resolve, 400))
  }
  await vi.waitFor(() => expect(failed).toBeGreaterThan(0))
  expect(failed).toBe(1)
  await checkpointer.close()
})
