import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ExtensionPage } from './extension/page.ts'
import { loadExtension, type LoadedExtension } from './loaded.ts'

declare const page: ExtensionPage

let extension: LoadedExtension
let panel: Page

beforeAll(async () => {
  extension = await loadExtension()
  panel = await extension.openPage()
  await panel.evaluate(() => void page.listen())
}, 60_000)
afterAll(() => extension.close())

/** Of each try its own. */
const newId = (name: string): string => `${name} ${crypto.randomUUID()}`
const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1)
const numbersIn = (id: string): Promise<number[]> =>
  panel.evaluate((thread) => page.numbersIn(page.checkpointer.thread(thread)), id)

/** Stops the service worker a moment after each change that is heard of, until the work is done; how often. */
async function stopUntil(work: Promise<unknown>): Promise<number> {
  let isOver = false
  const over = work
    .finally(() => (isOver = true))
    .then(
      () => {},
      () => {},
    )
  const pause = (time: number): Promise<unknown> =>
    Promise.race([over, new Promise((go) => setTimeout(go, time))])
  const heard = (): Promise<number> => panel.evaluate(() => page.heard())
  let [stops, last] = [0, await heard()]
  while (!isOver && stops < 20) {
    await pause(10)
    if ((await heard()) === last) continue
    await pause((stops * 37) % 90)
    last = await heard()
    if (isOver) break
    await extension.stopWorker()
    stops++
  }
  await work
  return stops
}

describe('over the ports of a real extension', () => {
  it('saves, loads, forks, and hears of it', async () => {
    const found = await panel.evaluate(async () => {
      const heard: string[] = []
      const leave = page.checkpointer.subscribe(({ type }) => void heard.push(type))
      const thread = page.checkpointer.thread<{ at: Date; tags: Set<string> }>('trip')
      await thread.save({ at: new Date(1_000), tags: new Set(['a']) }, { node: 'plan' })
      const fork = await thread.fork({ as: 'other', edit: ({ tags }) => void tags.add('b') })
      const state = (await fork.load())?.state
      for (let i = 0; i < 100 && heard.length < 2; i++) await new Promise((go) => setTimeout(go, 20))
      leave()
      return { at: state?.at instanceof Date && state.at.getTime(), tags: [...(state?.tags ?? [])], heard }
    })
    expect(found).toEqual({ at: 1_000, tags: ['a', 'b'], heard: ['saved', 'forked'] })
  })

  it('saves from a page come in their order, none is lost', { timeout: 60_000 }, async () => {
    const [id, count] = [newId('many'), 500]
    await panel.evaluate(([thread, many]) => page.saveMany(page.checkpointer.thread(thread), many), [
      id,
      count,
    ] as const)
    expect(await numbersIn(id)).toEqual(upTo(count))
  })

  it('carries a state of 20 MB, both ways', { timeout: 60_000 }, async () => {
    await panel.evaluate(async () => {
      await page.checkpointer.thread<{ text: string }>('large').save({ text: 'ä1'.repeat(7 * 2 ** 20) })
    })
    const other = await extension.openPage()
    const length = await other.evaluate(async () => {
      const { state } = (await page.checkpointer.thread<{ text: string }>('large').load()) ?? {}
      return state?.text === 'ä1'.repeat(7 * 2 ** 20) && state.text.length
    })
    expect(length).toBe(14 * 2 ** 20)
    await other.close()
  })

  it('values come back as they were, whole and as what has changed of them', async () => {
    await panel.evaluate(async () => {
      const thread = page.checkpointer.thread('values')
      await thread.save(page.values())
      const state = page.values()
      state.map.set('more', {
        bytes: Uint8Array.of(0, 255),
        proto: JSON.parse('{"__proto__":[-0]}') as unknown,
      })
      await thread.save({ ...state, extra: new Map([[Number.NaN, undefined]]) })
    })
    const other = await extension.openPage()
    const found = await other.evaluate(async () => {
      type Values = ReturnType<typeof page.values>
      const thread = page.checkpointer.thread<Values & { extra?: Map<number, unknown> }>('values')
      const [first, last] = [await thread.load({ seq: 1 }), await thread.load()]
      if (!first || !last) return undefined
      const more = last.state.map.get('more') as { bytes: Uint8Array; proto: object }
      return {
        changed: [...page.changedIn(first.state), ...page.changedIn(last.state)],
        bytes: more.bytes instanceof Uint8Array && [...more.bytes],
        proto: Object.is((Object.entries(more.proto)[0] as [string, number[]])[1][0], -0),
        extra: [...(last.state.extra ?? [])].map(([key, value]) => Number.isNaN(key) && value === undefined),
      }
    })
    expect(found).toEqual({ changed: [], bytes: [0, 255], proto: true, extra: [true] })
    await other.close()
  })
})

describe('while the service worker is stopped again and again', () => {
  it('saves that wait for one another are all there, once', { timeout: 60_000 }, async () => {
    const born = await panel.evaluate(() => page.askWorker('born'))
    const id = newId('stopped')
    let [count, stops] = [0, 0]
    // How often it is stopped meanwhile is a question of the machine.
    for (; stops <= 5 && count < 3_000; count += 150)
      stops += await stopUntil(
        panel.evaluate(([thread, from]) => page.saveMany(page.checkpointer.thread(thread), 150, from), [
          id,
          count + 1,
        ] as const),
      )
    expect(stops).toBeGreaterThan(5)
    expect(await panel.evaluate(() => page.askWorker('born'))).not.toBe(born)
    expect(await numbersIn(id)).toEqual(upTo(count))
  })

  it.each(['at once durable', 'written behind'])(
    'saves that nobody has waited for keep their order, %s',
    { timeout: 120_000 },
    async (durability) => {
      const count = 1_000
      const about = { id: newId(durability), count, isBehind: durability === 'written behind' }
      const saving = panel.evaluate(async ({ id, count: many, isBehind }) => {
        const checkpointer = isBehind ? await page.behind() : page.checkpointer
        await page.saveAtOnce(checkpointer.thread(id), many)
        await checkpointer.flush()
        if (isBehind) await checkpointer.close()
      }, about)
      const stops = await stopUntil(saving)
      expect(stops).toBeGreaterThan(0)
      expect(await numbersIn(about.id)).toEqual(upTo(count))
    },
  )

  it(
    'what may have been done, and may not be done twice, is rejected; its thread is whole',
    { timeout: 120_000 },
    async () => {
      const count = 400
      const ends: unknown[] = []
      // It may be done before it is stopped, or not have come there yet.
      for (let tries = 0; tries < 12 && !ends.some((end) => end !== 'done'); tries++) {
        const id = newId('pruned')
        await panel.evaluate(([thread, many]) => page.saveMany(page.checkpointer.thread(thread), many), [
          id,
          count,
        ] as const)
        const pruning = panel.evaluate(
          (thread) =>
            page.checkpointer
              .thread(thread)
              .prune({ keepLast: 10 })
              .then(
                () => 'done',
                ({ code, outcome }: { code: string; outcome: string }) => ({ code, outcome }),
              ),
          id,
        )
        await new Promise((go) => setTimeout(go, tries * 5))
        await extension.stopWorker()
        ends.push(await pruning)
        const left = await numbersIn(id)
        expect(left).toEqual(upTo(count).slice(-left.length))
        expect(left.length).toBeGreaterThanOrEqual(10)
        if (ends.at(-1) === 'done') expect(left).toHaveLength(10)
      }
      expect(ends.at(-1)).toEqual({ code: 'WORKER_LOST', outcome: 'unknown' })
    },
  )

  it('a run in a page goes on, and does each step once', { timeout: 120_000 }, async () => {
    const count = 25
    const id = newId('run of a page')
    const running = panel.evaluate(
      async ([threadId, steps]) => {
        const done: string[] = []
        const thread = page.checkpointer.thread<{ receipts: string[] }>(threadId)
        const { result, began } = await thread.run(
          { initial: { receipts: [] } },
          async ({ state, step, save }) => {
            for (let n = 1; n <= steps; n++) {
              const receipt = await step(
                `step ${n}`,
                async () => {
                  done.push(`step ${n}`)
                  await new Promise((resolve) => setTimeout(resolve, 40))
                  return `receipt ${n}`
                },
                { effect: 'external' },
              )
              state.receipts.push(receipt)
              if (n % 3 === 0) await save()
            }
            return state.receipts.length
          },
        )
        return { done, result, began }
      },
      [id, count] as const,
    )
    const stops = await stopUntil(running)
    expect(stops).toBeGreaterThan(2)
    const done = upTo(count).map((n) => `step ${n}`)
    expect(await running).toEqual({ done, result: count, began: 'fresh' })
    const receipts = await panel.evaluate(async (threadId) => {
      const thread = page.checkpointer.thread<{ receipts: string[] }>(threadId)
      return [(await thread.load())?.state.receipts, (await thread.latestRun())?.status]
    }, id)
    expect(receipts).toEqual([upTo(count).map((n) => `receipt ${n}`), 'finished'])
  })
})
