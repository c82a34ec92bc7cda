import { openCheckpointer, type Checkpointer, type Host } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createHost } from '../../src/operations/create-host.ts'
import { mapHost, type Verb } from '../../src/operations/verbs.ts'

type Around = (
  verb: Verb,
  request: { readonly thread?: string },
  run: () => Promise<unknown>,
) => Promise<unknown>

/** A store, and the same as others reach it: with something around each of its verbs. */
async function device(around: Around = (_verb, _request, run) => run()) {
  const host = await createHost({ storage: memoryStorage() })
  const reached: Host = mapHost(host, (run, verb) => async (request) => {
    if (verb === 'close') return undefined
    return around(verb, request as { thread?: string }, () => run(request))
  })
  const store = await openCheckpointer({ name: 'here', host })
  const far = await openCheckpointer({ name: 'far', host: reached })
  onTestFinished(async () => {
    await far.close()
    await store.close()
  })
  return { store, far }
}

async function fill(store: Checkpointer, threads: number): Promise<void> {
  for (let n = 0; n < threads; n++) await store.thread(`t${n}`).save({ n })
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2))

describe('a sync of many threads', () => {
  it('waits for a few of them at a time, each asked in order', async () => {
    const under = new Map<string, number>()
    let most = 0
    const { store, far } = await device(async (_verb, { thread }, run) => {
      if (thread === undefined) return run()
      under.set(thread, (under.get(thread) ?? 0) + 1)
      most = Math.max(most, under.size)
      expect(under.get(thread)).toBe(1)
      await pause()
      under.delete(thread)
      return run()
    })
    await fill(store, 20)
    const { store: other } = await device()
    const progress: number[] = []
    const result = await other.sync(far, { onProgress: ({ threads }) => void progress.push(threads) })
    expect(result).toMatchObject({ threads: 20, received: { checkpoints: 20 } })
    expect(most).toBe(4)
    expect(progress).toEqual(progress.toSorted((a, b) => a - b))
    expect(progress.at(-1)).toBe(20)
  })

  it('brings origins over before their forks, also those that are under way', async () => {
    const { store, far } = await device(async (verb, { thread }, run) => {
      // The origin of all others takes longest.
      if (verb === 'syncGive' && thread === 'o') for (let n = 0; n < 10; n++) await pause()
      return run()
    })
    await store.thread('o').save({ n: 0 })
    for (let n = 0; n < 6; n++)
      await (await store.thread(n < 3 ? 'o' : `f${n - 3}`).fork({ as: `f${n}` })).save({ n })
    const { store: other } = await device()
    await other.sync(far)
    const origins: Record<string, string | undefined> = {}
    for await (const { id, forkOf } of other.threads()) origins[id] = forkOf?.thread
    expect(origins).toEqual({ o: undefined, f0: 'o', f1: 'o', f2: 'o', f3: 'f0', f4: 'f1', f5: 'f2' })
    for (let n = 0; n < 6; n++) expect((await other.thread(`f${n}`).load())?.state).toEqual({ n })
    expect((await other.verify()).problems).toEqual([])
  })

  it('ends also with a store in which threads are forks of each other in a ring', async () => {
    const { store, far } = await device(async (verb, { thread = '' }, run) => {
      const reply = (await run()) as { places: object[] }
      if (verb !== 'syncAsk') return reply
      await pause()
      const n = (Number(thread.slice(1)) + 1) % 6
      const forkOf = { thread: `t${n}`, namespace: '', seq: 1, id: 'x' }
      return { ...reply, places: reply.places.map((place) => ({ ...place, forkOf })) }
    })
    await fill(store, 6)
    const { store: other } = await device()
    expect(await other.sync(far)).toMatchObject({ threads: 6, received: { checkpoints: 6 } })
  })

  it('that fails asks nothing any more when that is told', async () => {
    let calls = 0
    const { store, far } = await device(async (verb, { thread }, run) => {
      calls++
      await pause()
      if (verb === 'syncGive' && thread === 't36') throw new Error('cut off')
      return run()
    })
    await fill(store, 40)
    const { store: other } = await device()
    await expect(other.sync(far)).rejects.toThrow('cut off')
    const then = calls
    for (let n = 0; n < 20; n++) await pause()
    expect(calls).toBe(then)
    expect(then).toBeLessThan(100)
  })

  it('asks once of each that the last one has brought over, and then of none', async () => {
    const asked: Partial<Record<Verb, number>> = {}
    const { store, far } = await device((verb, _request, run) => {
      asked[verb] = (asked[verb] ?? 0) + 1
      return run()
    })
    await fill(store, 30)
    const { store: other } = await device()
    await other.thread('own').save({ n: -1 })
    await other.sync(far)
    for (const verb of Object.keys(asked)) delete asked[verb as Verb]
    await other.sync(far)
    expect(asked).toEqual({ syncList: 1, syncAsk: 31 })
    await other.sync(far)
    expect(asked).toEqual({ syncList: 2, syncAsk: 31 })
    await store.thread('t7').save({ n: 70 })
    expect(await other.sync(far)).toMatchObject({ threads: 1, received: { checkpoints: 1 } })
  })
})
