import { openCheckpointer, type Checkpointer, type Storage } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { advance, jsonBytes, newState, type AgentState } from './agent-loop.ts'
import { countingStorage, type Counts } from './counting-storage.ts'

/** What the loop costs in calls and bytes: the same on every machine, unlike time. */
const STEPS = 500

describe('the agent loop asks of its storage', () => {
  it('nothing but one read and one row to open', async () => {
    const { took } = await opened()
    expect(took()).toMatchObject({ reads: 1, commits: 1, rowsPut: 1 })
  })

  it('one commit of two rows and no read for a save', async () => {
    const { checkpointer, took } = await opened()
    await run(checkpointer, 'agent', 2)
    took()
    await run(checkpointer, 'agent', 2, 2)
    expect(took()).toMatchObject({ reads: 0, commits: 2, rowsPut: 4 })
  })

  it('the same under a lease', async () => {
    const { checkpointer, took } = await opened()
    const thread = checkpointer.thread<{ n: number }>('agent')
    await thread.save({ n: 1 })
    const lease = await thread.lease()
    // Its first sign of life.
    await new Promise((resolve) => setTimeout(resolve, 10))
    took()
    await thread.save({ n: 2 })
    expect(took()).toMatchObject({ reads: 0, commits: 1, rowsPut: 2 })
    await lease.release()
  })

  it('one commit and no read for a step of a run, two for one that takes its time, or changes something outside', async () => {
    const { checkpointer, took } = await opened()
    // However long this process is made to wait.
    const now = vi.spyOn(performance, 'now').mockReturnValue(0)
    onTestFinished(() => now.mockRestore())
    await checkpointer.thread('agent').run({}, async (loop) => {
      await loop.step('think', () => 0)
      await loop.step('think', () => 0)
      took()
      // The outcome of one goes with the intent of the next.
      for (let i = 0; i < 10; i++) await loop.step('think', () => i)
      expect(took()).toMatchObject({ reads: 0, commits: 10, rowsPut: 30 })
      await idle()
      expect(took()).toMatchObject({ reads: 0, commits: 1, rowsPut: 2 })
      await loop.step('pay', () => 0, { effect: 'external' })
      expect(took()).toMatchObject({ reads: 0, commits: 2, rowsPut: 4 })
      await loop.step('fetch', () => void now.mockReturnValue(1))
      expect(took()).toMatchObject({ reads: 0, commits: 2, rowsPut: 4 })
    })
  })

  it('three reads and one commit for the first save of a thread', async () => {
    const { checkpointer, took } = await opened()
    took()
    await run(checkpointer, 'agent', 1)
    expect(took()).toMatchObject({ reads: 3, commits: 1, rowsPut: 4 })
  })

  it('five times the bytes of the final state at most, for all steps', async () => {
    const { checkpointer, took } = await opened()
    const state = await run(checkpointer, 'agent', STEPS, 0, idle)
    const { bytesPut, commits, rewrites, reads, rowsPut } = took()
    expect(bytesPut).toBeLessThanOrEqual(5 * jsonBytes(state).length)
    expect(rewrites).toBeLessThanOrEqual(20)
    expect(commits).toBe(1 + STEPS + rewrites)
    // To open, for the first save, and one for each new keyframe, or to see that none is worth it yet.
    expect(reads).toBeGreaterThanOrEqual(4 + rewrites)
    expect(reads).toBeLessThanOrEqual(4 + 20)
    expect(rowsPut).toBeLessThanOrEqual(3 + STEPS * 2 + rewrites * 3)
  })

  it('no more when every save comes while a keyframe is being written', async () => {
    const { checkpointer, took } = await opened(slow(memoryStorage()))
    const state = await run(checkpointer, 'agent', STEPS)
    await checkpointer.close()
    const { bytesPut, rewrites } = took()
    expect(rewrites).toBeLessThanOrEqual(20)
    expect(bytesPut).toBeLessThanOrEqual(5 * jsonBytes(state).length)
  })

  it.each([10, STEPS])(
    'two reads for a load after %i steps, and its chain of rows alone; then one',
    async (steps) => {
      const storage = memoryStorage()
      const { checkpointer: writer } = await opened(storage)
      const state = await run(writer, 'agent', steps, 0, idle)
      const { checkpointer, took } = await opened(storage)
      took()
      expect((await checkpointer.thread('agent').load())?.state).toEqual(state)
      const cold = took()
      expect(cold).toMatchObject({ reads: 2, commits: 0 })
      expect(cold.rowsRead).toBeLessThanOrEqual(132)
      await checkpointer.thread('agent').load()
      expect(took()).toMatchObject({ reads: 1, commits: 0, rowsRead: 2 })
    },
  )

  it('one read for a load of a thread that was listed', async () => {
    const storage = memoryStorage()
    const { checkpointer: writer } = await opened(storage)
    await run(writer, 'agent', 10)
    const { checkpointer, took } = await opened(storage)
    for await (const { id } of checkpointer.threads()) expect(id).toBe('agent')
    took()
    await checkpointer.thread('agent').load()
    expect(took()).toMatchObject({ reads: 1, commits: 0 })
  })

  it('one read for a list, of as many rows as it gives', async () => {
    const { checkpointer, took } = await opened()
    for (let i = 0; i < 20; i++) await run(checkpointer, `agent-${i}`, 1)
    took()
    const found: string[] = []
    for await (const { id } of checkpointer.threads({ limit: 5 })) found.push(id)
    expect(found).toHaveLength(5)
    expect(took()).toMatchObject({ reads: 1, commits: 0, rowsRead: 5 })
  })

  it.each([100, STEPS])('one read for a page of 50 summaries out of %i', async (steps) => {
    const { checkpointer, took } = await opened()
    await run(checkpointer, 'agent', steps, 0, idle)
    took()
    const found: number[] = []
    for await (const { seq } of checkpointer.thread('agent').history({ limit: 50 })) found.push(seq)
    expect(found).toHaveLength(50)
    // The thread, the page, and one more to know whether another page follows.
    expect(took()).toMatchObject({ reads: 1, commits: 0, rowsRead: 52 })
  })

  it('the same for a fork, however long the thread is', async () => {
    const { checkpointer, took } = await opened()
    const costs: Counts[] = []
    for (const [id, steps] of [
      ['short', 10],
      ['long', STEPS],
    ] as const) {
      await run(checkpointer, id, steps, 0, idle)
      took()
      await checkpointer.thread(id).fork()
      costs.push(took())
    }
    for (const cost of costs) {
      expect(cost).toMatchObject({ commits: 1, rowsPut: 3 })
      expect(cost.reads).toBeLessThanOrEqual(4)
      expect(cost.bytesPut).toBeLessThan(2048)
    }
    expect(costs[1]?.reads).toBe(costs[0]?.reads)
    expect(costs[1]?.rowsRead).toBe(costs[0]?.rowsRead)
  })

  it('no read for a fork beside one that was just made', async () => {
    const { checkpointer, took } = await opened()
    await run(checkpointer, 'agent', 3)
    await checkpointer.thread('agent').fork()
    took()
    await checkpointer.thread('agent').fork()
    expect(took()).toMatchObject({ reads: 0, commits: 1, rowsPut: 3 })
  })
})

async function opened(
  over: Storage = memoryStorage(),
): Promise<{ checkpointer: Checkpointer; took: () => Counts }> {
  const { storage, counts } = countingStorage(over)
  const checkpointer = await openCheckpointer({ name: 'counts', storage })
  /** What was asked since the last time. */
  const took = (): Counts => {
    const now = { ...counts }
    for (const name of Object.keys(counts) as (keyof Counts)[]) counts[name] = 0
    return now
  }
  return { checkpointer, took }
}

/** Saves so many steps, after the first `done` ones. */
async function run(
  checkpointer: Checkpointer,
  id: string,
  steps: number,
  done = 0,
  between?: () => Promise<void>,
): Promise<AgentState> {
  const thread = checkpointer.thread<AgentState>(id)
  const state = newState()
  for (let step = 1; step <= done; step++) advance(state, step)
  for (let step = done + 1; step <= done + steps; step++) {
    await thread.save(advance(state, step))
    await between?.()
  }
  return state
}

/** Until compaction, which begins in a task of its own, has come to its end. */
async function idle(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setTimeout(resolve, 0))
}

/** Every call takes some tasks, as with a real engine: what is read may be old when the write comes. */
function slow(storage: Storage): Storage {
  return {
    limits: storage.limits,
    read: (...given) => soon().then(() => storage.read(...given)),
    commit: (...given) => soon().then(() => storage.commit(...given)),
    locate: (...given) => soon().then(() => storage.locate(...given)),
    list: (...given) => soon().then(() => storage.list(...given)),
    partitions: (...given) => storage.partitions(...given),
    destroy: () => storage.destroy(),
    close: () => storage.close(),
  }
}

const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))
