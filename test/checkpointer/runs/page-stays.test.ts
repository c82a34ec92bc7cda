import { openCheckpointer, type Loop } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it, onTestFinished, vi } from 'vitest'

/** A page that is told what becomes of it, and a thread in it. */
async function page() {
  const target = new EventTarget()
  vi.stubGlobal('addEventListener', target.addEventListener.bind(target))
  vi.stubGlobal('removeEventListener', target.removeEventListener.bind(target))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })
  const storage = Object.assign(memoryStorage(), { close: async () => {} })
  const checkpointer = await openCheckpointer({ name: 'p', storage, onWarning: () => {} })
  onTestFinished(() => checkpointer.close())
  const thread = checkpointer.thread<object>('t')
  return {
    thread,
    tell: (event: 'beforeunload' | 'pagehide' | 'pageshow') => void target.dispatchEvent(new Event(event)),
    status: async () => (await thread.latestRun())?.status,
    /** The run, and how it has ended as soon as it has. */
    run(work: (loop: Loop<object>) => Promise<unknown>, signal?: AbortSignal) {
      const run = { end: '' }
      const running = thread.run({ initial: {}, signal }, work)
      void running.then(
        ({ result }) => (run.end = `gives ${String(result)}`),
        (error: unknown) => (run.end = String(error)),
      )
      return run
    },
  }
}

const external = { effect: 'external' } as const
const after = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms)

it.each(['beforeunload', 'pagehide'] as const)(
  'what fails after %s has failed when the page is back',
  async (event) => {
    const { tell, run, status } = await page()
    const paying = run((loop) =>
      loop.step(
        'pay',
        async () => {
          tell(event)
          throw new Error('cut off')
        },
        external,
      ),
    )
    await after(5000)
    expect([paying.end, await status()]).toEqual(['', 'running'])
    tell('pageshow')
    await after(100)
    expect([paying.end, await status()]).toEqual(['Error: cut off', 'failed'])
  },
)

it('what fails after beforeunload has failed when the page is still there 20 seconds later', async () => {
  const { tell, run, status } = await page()
  const running = run(async () => {
    tell('beforeunload')
    throw new Error('cut off')
  })
  await after(19_000)
  expect([running.end, await status()]).toEqual(['', 'running'])
  await after(2000)
  expect([running.end, await status()]).toEqual(['Error: cut off', 'failed'])
})

it('nothing is tried again by a page that may go', async () => {
  const { tell, run } = await page()
  let tries = 0
  const pay = async (): Promise<string> => {
    if (++tries > 1) return 'paid'
    tell('beforeunload')
    throw new Error('cut off')
  }
  const running = run((loop) => loop.step('pay', pay, { retries: 1 }))
  await after(10_000)
  expect(tries).toBe(1)
  tell('pageshow')
  await after(1000)
  expect([tries, running.end]).toEqual([2, 'gives paid'])
})

it('what has been done is stored at once, as long as the page is there', async () => {
  const { tell, run } = await page()
  const running = run((loop) => loop.step('pay', async () => (tell('beforeunload'), 'paid'), external))
  await after(100)
  expect(running.end).toBe('gives paid')
})

it('what a page that has gone comes to is not stored', async () => {
  const { tell, run, status } = await page()
  const caught = run((loop) =>
    loop.step('pay', async () => (tell('pagehide'), 'not paid, offline'), external),
  )
  await after(5000)
  expect([caught.end, await status()]).toEqual(['', 'running'])
  tell('pageshow')
  await after(100)
  expect(caught.end).toBe('gives not paid, offline')
})

it('who stops the run does not wait for the page', async () => {
  const { tell, run } = await page()
  const stop = new AbortController()
  const running = run(
    (loop) =>
      loop.step('pay', async () => {
        tell('beforeunload')
        throw new Error('cut off')
      }),
    stop.signal,
  )
  await after(100)
  stop.abort(new Error('stopped'))
  await after(1000)
  expect(running.end).toBe('Error: stopped')
})

it('a run listens to its page no longer than it runs', async () => {
  const { run } = await page()
  const heard = new Set<string>()
  const { addEventListener, removeEventListener } = globalThis
  vi.stubGlobal('addEventListener', (...given: Parameters<typeof addEventListener>) => {
    heard.add(given[0])
    addEventListener(...given)
  })
  vi.stubGlobal('removeEventListener', (...given: Parameters<typeof removeEventListener>) => {
    heard.delete(given[0])
    removeEventListener(...given)
  })
  // In some browsers a page that listens to this is not kept for a way back.
  const running = run(async () => heard.has('beforeunload'))
  await after(100)
  expect([running.end, heard.has('beforeunload')]).toEqual(['gives true', false])
})
