import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  openCheckpointer,
  type Checkpointer,
  type CheckpointerError,
  type CheckpointerEvent,
} from 'forkpoint'
import { connectCheckpointer, serveCheckpointer, type ConnectOptions, type Port } from 'forkpoint/extension'
import { memoryStorage } from 'forkpoint/storage/memory'
import { FakeExtension } from './fake-runtime.ts'
import { fakeWorker } from './fake-worker.ts'

const ended: (() => unknown)[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const end of ended.splice(0).reverse()) await end()
})

async function page(extension: FakeExtension, options: ConnectOptions = {}) {
  const warned: CheckpointerError[] = []
  const checkpointer = await connectCheckpointer({
    runtime: extension.runtime(),
    onWarning: (warning) => void warned.push(warning),
    ...options,
  })
  ended.push(() => checkpointer.close())
  return { checkpointer, warned }
}

/** What a call comes to when it was given some time, on a clock that is turned. */
async function after<T>(minutes: number, call: Promise<T>): Promise<unknown> {
  const outcome = call.catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(minutes * 60_000)
  return Promise.race([outcome, Promise.resolve().then(() => 'pending')])
}

/** The service worker as this page sees it that speaks for itself. */
const answering = (extension: FakeExtension, answer: (port: Port) => void): void =>
  extension.runtime().onConnect.addListener(((port: Port) => answer(port)) as never)

describe('a port that nobody answers', () => {
  it('is given up when it is kept by a listener for something else: nothing was done', async () => {
    const extension = new FakeExtension()
    fakeWorker(extension)
    // Listens for other names, as any extension may.
    answering(extension, () => {})
    const { checkpointer, warned } = await page(extension, { name: 'not-served' })
    vi.useFakeTimers()
    const heard = checkpointer.subscribe(() => {})
    const saving = checkpointer.thread('t').save({})
    expect(await after(1, saving)).toMatchObject({ code: 'WORKER_LOST', outcome: 'none' })
    expect(warned).toMatchObject([{ code: 'WORKER_LOST' }])
    heard()
  })

  it('ends who watches by it', async () => {
    const extension = new FakeExtension()
    answering(extension, () => {})
    const { checkpointer } = await page(extension)
    // It is loaded when it is needed, which takes time of another clock.
    await import('../../src/checkpointer/runs/watch/watch.ts')
    vi.useFakeTimers()
    const watching = checkpointer.thread('t').watch()[Symbol.asyncIterator]().next()
    expect(await after(2, watching)).toMatchObject({ code: 'WORKER_LOST' })
  })

  it('is waited for while its store opens slowly, and not for ever', async () => {
    const extension = new FakeExtension()
    let open: (checkpointer: Checkpointer) => void = () => {}
    const opening = new Promise<Checkpointer>((resolve) => (open = resolve))
    ended.push(serveCheckpointer(opening, { runtime: extension.runtime() }))
    const { checkpointer } = await page(extension)
    const own = await openCheckpointer({ name: 'own', storage: memoryStorage() })
    ended.push(() => own.close())
    vi.useFakeTimers()
    const first = checkpointer.thread('t').load()
    expect(await after(1, first)).toBe('pending')
    expect(await after(2, first)).toMatchObject({ code: 'WORKER_LOST', outcome: 'none' })
    const second = checkpointer.thread('t').load()
    expect(await after(1, second)).toBe('pending')
    open(own)
    expect(await after(0.1, second)).toBeUndefined()
  })
})

describe('a service worker of another version', () => {
  it.each([true, 2, '1', null])('is told from ours by its hello (%j): calls are refused', async (version) => {
    const extension = new FakeExtension()
    const posted: unknown[] = []
    answering(extension, (port) => {
      port.onMessage.addListener((message) => void posted.push(message))
      port.postMessage({ hello: version })
    })
    const { checkpointer, warned } = await page(extension)
    checkpointer.subscribe(() => {})
    await expect(checkpointer.thread('t').save({})).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      outcome: 'none',
    })
    const watching = checkpointer.thread('t').watch()[Symbol.asyncIterator]()
    await expect(watching.next()).rejects.toMatchObject({ code: 'UNSUPPORTED' })
    expect(warned[0]).toMatchObject({ code: 'UNSUPPORTED' })
    expect(posted).toEqual([])
  })

  it('says so of what was sent to the one before: nobody knows', async () => {
    const extension = new FakeExtension()
    const sw = fakeWorker(extension)
    const { checkpointer } = await page(extension)
    await checkpointer.thread('t').save({ n: 1 })
    const saving = checkpointer.thread('t').save({ n: 2 })
    sw.kill()
    extension.wake = () => {}
    answering(extension, (port) => port.postMessage({ hello: 2 }))
    await expect(saving).rejects.toMatchObject({ code: 'UNSUPPORTED', outcome: 'unknown' })
  })
})

describe('an extension that was reloaded under an open script', () => {
  it('is told of to who listens, and ends who watches, and who calls', async () => {
    const extension = new FakeExtension()
    await (await fakeWorker(extension).start()).thread('t').save({ n: 1 })
    const { checkpointer, warned } = await page(extension)
    checkpointer.subscribe(() => {})
    const watching = checkpointer.thread('t').watch()[Symbol.asyncIterator]()
    await watching.next()
    const next = watching.next()
    extension.remove()
    await expect(next).rejects.toMatchObject({ code: 'WORKER_LOST', outcome: 'none' })
    expect(warned).toMatchObject([{ code: 'WORKER_LOST' }])
    await expect(checkpointer.thread('t').save({})).rejects.toMatchObject({
      code: 'WORKER_LOST',
      outcome: 'none',
    })
    // Who begins to listen now is told too.
    checkpointer.subscribe(() => {})
    expect(warned).toHaveLength(2)
  })
})

describe('calls that wait while the service worker dies again and again', () => {
  it('are made in their order, however many deaths those before them take', async () => {
    const extension = new FakeExtension()
    const sw = fakeWorker(extension)
    const thread = (await page(extension)).checkpointer.thread<number>('t')
    await thread.save(0)
    const saves = Array.from({ length: 400 }, (_, i) => thread.save(i + 1))
    for (const saved of saves.filter((_, i) => i % 20 === 7)) void saved.then(() => sw.kill())
    expect((await Promise.all(saves)).map(({ seq }) => seq)).toEqual(saves.map((_, i) => i + 2))
    expect(sw.starts()).toBeGreaterThan(8)
    const states: number[] = []
    for await (const { state } of thread.history({ order: 'oldest', states: true })) states.push(state)
    expect(states).toEqual(Array.from({ length: 401 }, (_, n) => n))
  })

  it('are given up when it dies of one of them, which is not made for ever', async () => {
    const extension = new FakeExtension()
    const deadly = 'deadly'
    let tries = 0
    const sw = fakeWorker(extension, {
      allow: async (_, __, thread) => {
        if (thread !== deadly) return true
        tries++
        await new Promise((resolve) => setTimeout(resolve, 50))
        sw.kill()
        return true
      },
    })
    const { checkpointer } = await page(extension)
    const first = checkpointer.thread('t').save(1)
    const dying = checkpointer.thread(deadly).save(1)
    const last = checkpointer.thread('t').save(2)
    await expect(dying).rejects.toMatchObject({ code: 'WORKER_LOST', outcome: 'unknown' })
    expect(tries).toBe(5)
    await first
    expect(await last).toMatchObject({ seq: 2 })
  })
})

it('a rule that throws about what may be heard is reported where it runs', async () => {
  const failures: unknown[] = []
  vi.stubGlobal('reportError', (error: unknown) => failures.push(error))
  ended.push(() => vi.unstubAllGlobals())
  const extension = new FakeExtension()
  const failure = new Error('the rule has failed')
  const sw = fakeWorker(extension, {
    allow: (_, verb) => {
      if (verb === 'events') throw failure
      return true
    },
  })
  const own = await sw.start()
  const { checkpointer } = await page(extension)
  await checkpointer.thread('t').load()
  await own.thread('t').save({})
  await expect.poll(() => failures).toEqual([failure])
})

describe('what was missed while the service worker was stopped', () => {
  it('is told of all namespaces', async () => {
    const extension = new FakeExtension()
    const sw = fakeWorker(extension)
    const { checkpointer } = await page(extension)
    const heard: CheckpointerEvent[] = []
    checkpointer.subscribe((event) => void heard.push(event))
    await checkpointer.thread('before').load()
    sw.kill()
    const other = await openCheckpointer({ name: 'other', storage: sw.storage })
    const { id } = await other.thread('only a subgraph', { namespace: 'sub' }).save({})
    await other.thread('both').save({})
    await other.thread('both', { namespace: 'sub/deeper' }).save({})
    const places = (): string[] =>
      heard.flatMap((event) => (event.type === 'saved' ? `${event.thread}:${event.namespace}` : []))
    await expect
      .poll(() => [...new Set(places())].sort())
      .toEqual(['both:', 'both:sub/deeper', 'only a subgraph:sub'])
    expect(heard).toContainEqual({ type: 'saved', thread: 'only a subgraph', namespace: 'sub', seq: 1, id })
  })

  it('is told to who may see the list of threads, and not their namespaces', async () => {
    const extension = new FakeExtension()
    const sw = fakeWorker(extension, { allow: (_, verb) => verb !== 'namespaces' })
    const { checkpointer, warned } = await page(extension)
    const heard: CheckpointerEvent[] = []
    checkpointer.subscribe((event) => void heard.push(event))
    await checkpointer.thread('before').load()
    sw.kill()
    const other = await openCheckpointer({ name: 'other', storage: sw.storage })
    await other.thread('meanwhile').save({})
    await expect.poll(() => JSON.stringify(heard)).toContain('meanwhile')
    expect(warned).toEqual([])
  })

  it('is warned of when it cannot be told', async () => {
    const extension = new FakeExtension()
    let isAllowed = true
    const sw = fakeWorker(extension, {
      allow: (_, verb) => {
        if (verb !== 'threads' || isAllowed) return true
        throw new Error('the rule has failed')
      },
    })
    const { checkpointer, warned } = await page(extension)
    checkpointer.subscribe(() => {})
    await checkpointer.thread('t').save({})
    isAllowed = false
    sw.kill()
    await expect.poll(() => warned).toMatchObject([{ code: 'FAILED' }])
  })
})
