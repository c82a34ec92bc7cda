import { getEventListeners } from 'node:events'
import { openCheckpointer, type Loop } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it, onTestFinished } from 'vitest'

const NAMES = Array.from({ length: 30 }, (_, n) => `${n}`)
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5))

async function opened() {
  const checkpointer = await openCheckpointer({ name: 'listeners', storage: memoryStorage() })
  onTestFinished(() => checkpointer.close())
  return checkpointer
}

const listenersOf = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length

async function* chunks(signal: AbortSignal, seen: number[]) {
  seen.push(listenersOf(signal))
  yield 'chunk'
}

it('steps, streams and questions side by side are no leak of listeners to Node', async () => {
  const thread = (await opened()).thread('t')
  const seen: number[] = []
  const tried = new Set<string>()
  const look = ({ signal }: Loop<unknown>): void => void seen.push(listenersOf(signal))
  const work = async (loop: Loop<unknown>): Promise<void> => {
    const step = (name: string) =>
      loop.step(
        name,
        async () => {
          await pause()
          look(loop)
          if (!tried.has(name) && tried.add(name)) throw new Error('once more')
        },
        { retries: 1 },
      )
    await Promise.all(NAMES.map(step))
    const read = async (name: string): Promise<void> => {
      for await (const _ of loop.stream(`stream ${name}`, () => chunks(loop.signal, seen))) await pause()
    }
    await Promise.all(NAMES.map(read))
    const asking = NAMES.map((name) => loop.ask(name, { name: `ask ${name}` }))
    setTimeout(() => look(loop), 20)
    await Promise.all(asking)
  }
  const running = thread.run({}, work)
  for (;;) {
    const run = await thread.latestRun()
    if (run?.status === 'waiting') break
    await pause()
  }
  for (const { key } of (await thread.latestRun())?.questions ?? []) await thread.answer('yes', { key })
  await running
  expect(Math.max(...seen)).toBeLessThanOrEqual(3)
})

it('calls with one signal side by side are none either, and all of them hear of it', async () => {
  const checkpointer = await opened()
  await checkpointer.thread('held').save({})
  const reason = new Error('enough')
  const stop = new AbortController()
  const lease = await checkpointer.thread('held').lease()
  const waiting = NAMES.map(() => checkpointer.thread('held').lease({ signal: stop.signal }))
  const running = NAMES.map((name) =>
    checkpointer.thread(name).run({ signal: stop.signal }, () => new Promise<void>(() => {})),
  )
  const told = Promise.allSettled([...waiting, ...running])
  await pause()
  expect(listenersOf(stop.signal)).toBe(1)
  stop.abort(reason)
  for (const each of await told) expect(each).toEqual({ status: 'rejected', reason })
  await lease.release()
})
