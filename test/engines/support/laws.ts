import { setTimeout as sleep } from 'node:timers/promises'
import { CheckpointerError, openCheckpointer, type Checkpointer, type Storage } from 'forkpoint'
import { describe, expect, test } from 'vitest'
import type { EngineAtWork } from './engine.ts'

const ROUNDS = 5

interface State {
  readonly n: number
  readonly text: string
}

const stateOf = (n: number): State => ({ n, text: `${n} `.repeat(200 + n) })

/** What takes an engine of its own to try: its death, several processes, and states larger than its values. */
export function engineLaws(work: EngineAtWork): void {
  describe('the engine itself', () => {
    test('after a SIGKILL in mid-save every save that was acknowledged is there, and whole', async () => {
      const database = await work.newDatabase()
      let saved = 0
      for (let round = 0; round < ROUNDS; round++) {
        const checkpointer = await opened(await work.open(database))
        saved = await checkAll(checkpointer, saved)
        // However slow the engine is at first: one save at least comes before it is killed.
        let begin = (): void => {}
        const begun = new Promise<void>((resolve) => (begin = resolve))
        const acknowledged = saveUntilKilled(checkpointer, saved, begin)
        await Promise.race([begun, acknowledged])
        await sleep(20 + 50 * round)
        await work.kill()
        saved = await acknowledged
        await work.start()
      }
      expect(saved).toBeGreaterThanOrEqual(ROUNDS)
      const checkpointer = await opened(await work.open(database))
      await checkAll(checkpointer, saved)
      expect((await checkpointer.verify()).problems).toEqual([])
      await checkpointer.close()
    }, 180_000)

    test(`300 compare-and-sets of three ${work.isOfMany ? 'processes' : 'connections'} lose nothing`, async () => {
      const database = await work.newDatabase()
      const storages = [
        await work.open(database, 0),
        await work.open(database, 1),
        await work.open(database, 2),
      ]
      const won = await Promise.all(storages.map((storage) => countUp(storage, 100)))
      expect(new Set(won.flat()).size).toBe(300)
      const [rows] = await (storages[0] as Storage).read('p', [{ table: 'meta', keys: [COUNT] }])
      expect(rows?.[0]?.head).toBe('300')
      for (const storage of storages) await storage.close()
    }, 120_000)

    test('states of 5 MB go through, and come back in another connection', async () => {
      const database = await work.newDatabase()
      const writer = await opened(await work.open(database))
      const thread = writer.thread<{ at: number; pages: string[] }>('large')
      const pages = Array.from({ length: 50 }, (_, i) => `${i} ${'page '.repeat(20_000)}`)
      await thread.save({ at: 1, pages })
      await thread.save({ at: 2, pages: [...pages, 'one more'] })
      await thread.save({ at: 3, pages: pages.map((page) => page.toUpperCase()) })
      await writer.close()
      const reader = await opened(await work.open(database))
      const read = reader.thread<{ at: number; pages: string[] }>('large')
      expect((await read.load(2))?.state.pages.length).toBe(51)
      expect((await read.load())?.state).toEqual({ at: 3, pages: pages.map((page) => page.toUpperCase()) })
      expect((await reader.verify()).problems).toEqual([])
      await reader.close()
    }, 120_000)
  })
}

const opened = (storage: Storage): Promise<Checkpointer> =>
  openCheckpointer({ name: `engine ${Math.random()}`, storage, onWarning: () => {} })

/** What was acknowledged by then; the engine may have stored one more, of which it could not tell. */
async function saveUntilKilled(
  checkpointer: Checkpointer,
  from: number,
  onSaved: () => void,
): Promise<number> {
  const thread = checkpointer.thread<State>('t')
  let saved = from
  try {
    for (;;) {
      await thread.save(stateOf(saved + 1))
      saved++
      onSaved()
    }
  } catch (error) {
    if (!CheckpointerError.is(error, 'FAILED')) throw error
    await checkpointer.close().catch(() => {})
    return saved
  }
}

/** How many there are: as many as were acknowledged, or one more. */
async function checkAll(checkpointer: Checkpointer, acknowledged: number): Promise<number> {
  const seqs: number[] = []
  for await (const { seq, state } of checkpointer
    .thread<State>('t')
    .history({ states: true, order: 'oldest' })) {
    expect(state).toEqual(stateOf(seq))
    seqs.push(seq)
  }
  expect(seqs).toEqual(seqs.map((_, i) => i + 1))
  expect(seqs.length).toBeGreaterThanOrEqual(acknowledged)
  expect(seqs.length).toBeLessThanOrEqual(acknowledged + 1)
  return seqs.length
}

const COUNT = ['count', '']

/** Adds one to a row, so many times; what it wrote each time. */
async function countUp(storage: Storage, times: number): Promise<number[]> {
  const written: number[] = []
  while (written.length < times) {
    const [rows] = await storage.read('p', [{ table: 'meta', keys: [COUNT] }])
    const next = Number(rows?.[0]?.head ?? 0) + 1
    const { ok } = await storage.commit('p', {
      checks: [{ table: 'meta', key: COUNT, version: rows?.[0]?.version }],
      puts: [{ table: 'meta', key: COUNT, head: String(next) }],
    })
    if (ok) written.push(next)
  }
  return written
}
