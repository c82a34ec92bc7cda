import { openCheckpointer, type Durability, type Host } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createHost } from '../../src/operations/create-host.ts'

/** A page as far as it is listened to, and the host behind it, with the order of its calls kept. */
async function page(durability: Durability) {
  const target = new EventTarget()
  const document = Object.assign(new EventTarget(), { visibilityState: 'visible' })
  vi.stubGlobal('addEventListener', target.addEventListener.bind(target))
  vi.stubGlobal('removeEventListener', target.removeEventListener.bind(target))
  vi.stubGlobal('document', document)
  onTestFinished(() => void vi.unstubAllGlobals())
  const inner = await createHost({ storage: Object.assign(memoryStorage(), { close: async () => {} }) })
  const calls: string[] = []
  let gate: Promise<void> | undefined
  const host: Host = {
    ...inner,
    async saveMany(request) {
      calls.push(`${request.saves.length} saves`)
      const reply = inner.saveMany(request)
      await gate
      return reply
    },
    async putWrites(request) {
      const chunks = request.writes.filter(({ channel }) => channel === 'forkpoint:chunks').length
      if (chunks > 0) calls.push(`${chunks} chunks`)
      return inner.putWrites(request)
    },
    rest() {
      calls.push('rest')
      return inner.rest()
    },
  }
  const checkpointer = await openCheckpointer({ name: 'p', host, durability, onWarning: () => {} })
  onTestFinished(() => checkpointer.close())
  return {
    calls,
    checkpointer,
    thread: checkpointer.thread<{ n: number }>('t'),
    stored: async () => (await inner.load({ thread: 't', namespace: '' }))?.info.seq,
    hold(until: Promise<void> | undefined) {
      gate = until
    },
    leave: () => target.dispatchEvent(new Event('pagehide')),
    hide() {
      document.visibilityState = 'hidden'
      document.dispatchEvent(new Event('visibilitychange'))
    },
  }
}

describe('a page that goes', () => {
  it.each(['sync', 'async'] as const)('sends the chunks of a stream too, %s', async (durability) => {
    const { calls, thread, leave, hide } = await page(durability)
    await thread.run({ initial: { n: 0 } }, async (loop) => {
      const chunks = loop.stream('answer', async function* () {
        yield* ['a', 'b', 'c', 'd']
      })
      const sent = async (): Promise<string> => {
        // No timer has its turn in so little.
        for (let i = 0; i < 50; i++) await Promise.resolve()
        return calls.filter((call) => call.endsWith('chunks')).join()
      }
      for await (const chunk of chunks) {
        if (chunk === 'a') expect(await sent()).toBe('1 chunks')
        if (chunk === 'b') hide()
        if (chunk === 'b') expect(await sent()).toBe('1 chunks,1 chunks')
        if (chunk === 'c') leave()
        if (chunk === 'c') expect(await sent()).toBe('1 chunks,1 chunks,1 chunks')
      }
    })
  })

  it('sends what is left at once, behind what is under way, and then says that it rests', async () => {
    const { calls, thread, hold, leave, stored } = await page('async')
    await thread.save({ n: 0 })
    await thread.load()
    calls.length = 0
    let go = (): void => {}
    hold(new Promise((resolve) => (go = resolve)))
    await Promise.all([thread.save({ n: 1 }), thread.save({ n: 2 })])
    await thread.save({ n: 3 })
    await thread.save({ n: 4 })
    expect(calls).toEqual(['2 saves'])
    leave()
    expect(calls).toEqual(['2 saves', '2 saves', 'rest'])
    await expect.poll(stored).toBe(5)
    hold(undefined)
    go()
    // It came back out of the browser's cache, and goes on.
    expect((await thread.save({ n: 5 })).seq).toBe(6)
    expect((await thread.load())?.state).toEqual({ n: 5 })
  })

  it('writes the last state with durability exit, also when it is only hidden', async () => {
    const { calls, thread, hide, leave, stored } = await page('exit')
    for (const n of [1, 2, 3]) await thread.save({ n })
    expect(calls).toEqual([])
    hide()
    expect(calls).toEqual(['1 saves'])
    await expect.poll(stored).toBe(1)
    for (const n of [4, 5]) expect((await thread.save({ n })).seq).toBe(2)
    leave()
    expect(calls).toEqual(['1 saves', '1 saves', 'rest'])
    await expect.poll(stored).toBe(2)
  })

  it('has nothing to send with durability sync, and rests', async () => {
    const { calls, thread, hide, leave } = await page('sync')
    await thread.save({ n: 1 })
    hide()
    leave()
    expect(calls).toEqual(['rest'])
  })

  it.each(['sync', 'async', 'exit'] as const)('saves first what was held back, %s', async (durability) => {
    const { checkpointer, thread, hide, leave, stored } = await page(durability)
    await thread.save({ n: 1 })
    await checkpointer.flush()
    let n = 1
    const hurry = (): void => void thread.save({ n: ++n }).catch(() => {})
    const stop = checkpointer.holdsBack({ hurry, flush: async () => {} })
    hide()
    await expect.poll(stored).toBe(2)
    leave()
    await expect.poll(stored).toBe(3)
    stop()
    leave()
    expect(n).toBe(3)
  })

  it('is no longer listened to after close', async () => {
    const { calls, checkpointer, thread, leave } = await page('async')
    await thread.save({ n: 1 })
    await checkpointer.close()
    calls.length = 0
    leave()
    expect(calls).toEqual([])
  })
})
