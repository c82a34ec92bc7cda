import { afterEach, describe, expect, it } from 'vitest'
import {
  openCheckpointer,
  type Checkpointer,
  type CheckpointerError,
  type CheckpointerEvent,
} from 'forkpoint'
import {
  connectCheckpointer,
  isExtensionPage,
  serveCheckpointer,
  type ConnectOptions,
  type Port,
  type Runtime,
  type Sender,
  type ServeOptions,
} from 'forkpoint/extension'
import { memoryStorage } from 'forkpoint/storage/memory'
import { FakeExtension } from './fake-runtime.ts'
import { fakeWorker } from './fake-worker.ts'

const ended: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end()
})

const OWN_ORIGIN = 'chrome-extension://own'
const CONTENT: Sender = { id: 'own', url: 'https://shop.test/', origin: 'https://shop.test', tab: { id: 7 } }
const STRANGER: Sender = {
  id: 'stranger',
  url: 'chrome-extension://stranger/page.html',
  origin: 'chrome-extension://stranger',
}
const WEB: Sender = { url: 'https://evil.test/', origin: 'https://evil.test', tab: { id: 8 } }

async function page(
  extension: FakeExtension,
  sender?: Sender,
  options: ConnectOptions = {},
): Promise<Checkpointer> {
  const checkpointer = await connectCheckpointer({ runtime: extension.runtime(sender), ...options })
  ended.push(() => checkpointer.close())
  return checkpointer
}

describe('a service worker that is killed', () => {
  it('is started again by the next call, and what was under way is done once', async () => {
    const extension = new FakeExtension()
    const sw = fakeWorker(extension)
    const thread = (await page(extension)).thread<{ n: number }>('t')
    await thread.save({ n: 0 })
    for (let n = 1; n <= 40; n++) {
      const saving = thread.save({ n })
      const wait = n % 5
      setTimeout(() => sw.kill(), wait)
      await saving
    }
    const seen: number[] = []
    for await (const { state } of thread.history({ order: 'oldest', states: true })) seen.push(state.n)
    expect(seen).toEqual(Array.from({ length: 41 }, (_, n) => n))
    expect(sw.starts()).toBeGreaterThan(5)
  })

  it('rejects what cannot be done again, and says that nobody knows', async () => {
    const extension = new FakeExtension()
    const sw = fakeWorker(extension)
    const thread = (await page(extension)).thread('t')
    for (let n = 0; n < 3; n++) await thread.save({ n })
    const pruning = thread.prune({ keepLast: 1 })
    sw.kill()
    await expect(pruning).rejects.toMatchObject({ code: 'WORKER_LOST', outcome: 'unknown' })
    await thread.prune({ keepLast: 1 })
    expect((await thread.load())?.state).toEqual({ n: 2 })
  })

  it('is not tried for ever when it serves nothing', async () => {
    const extension = new FakeExtension()
    const thread = (await page(extension)).thread('t')
    await expect(thread.save({})).rejects.toMatchObject({ code: 'WORKER_LOST' })
  }, 20_000)

  it('is heard of again after it was gone, with what was saved meanwhile', async () => {
    const extension = new FakeExtension()
    const sw = fakeWorker(extension)
    const own = await sw.start()
    const far = await page(extension)
    const heard: CheckpointerEvent[] = []
    far.subscribe((event) => void heard.push(event))
    await far.thread('before').load()
    await own.thread('first').save({})
    await expect.poll(() => heard.length).toBeGreaterThan(0)
    sw.kill()
    const other = await openCheckpointer({ name: 'other', storage: sw.storage })
    await other.thread('meanwhile').save({})
    await expect.poll(() => JSON.stringify(heard)).toContain('meanwhile')
  })
})

describe('a page that listens', () => {
  it('sees the steps of a run that were done while the service worker was stopped', async () => {
    const extension = new FakeExtension()
    const sw = fakeWorker(extension)
    await sw.start()
    const names: string[] = []
    const watching = (async () => {
      for await (const event of (await page(extension)).thread('t').watch())
        if (event.type === 'step' && event.status === 'done' && names.push(event.name) === 3) return
    })()
    const other = await openCheckpointer({ name: 'other', storage: sw.storage })
    let goOn = (): void => {}
    const going = new Promise<void>((resolve) => (goOn = resolve))
    const run = other.thread('t').run({ initial: 0 }, async (loop) => {
      await loop.step('one', () => 1)
      await going
      await loop.step('two', () => 2)
      await loop.step('three', () => 3)
      sw.kill()
      await expect.poll(() => names).toHaveLength(3)
    })
    await expect.poll(async () => (await other.thread('t').latestRun())?.status).toBe('running')
    sw.kill()
    goOn()
    await run
    await watching
    expect(names).toEqual(['one', 'two', 'three'])
  })

  it('does not come back to where it was refused, until it calls', async () => {
    const extension = new FakeExtension()
    await fakeWorker(extension).start()
    let connects = 0
    const runtime = extension.runtime(CONTENT)
    const counting = { ...runtime, connect: (info: { name: string }) => (connects++, runtime.connect(info)) }
    const warned: CheckpointerError[] = []
    const script = await connectCheckpointer({
      runtime: counting as Runtime,
      onWarning: (warning) => void warned.push(warning),
    })
    ended.push(() => script.close())
    script.subscribe(() => {})
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(connects).toBe(1)
    expect(warned).toMatchObject([{ code: 'FORBIDDEN' }])
    await expect(script.thread('t').load()).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(connects).toBe(2)
  })

  it('that is gone has no lease any more, also when the service worker was another then', async () => {
    const extension = new FakeExtension()
    const sw = fakeWorker(extension)
    const ports: Port[] = []
    const runtime = extension.runtime()
    const kept = {
      ...runtime,
      connect: (info: { name: string }) => ports[ports.push(runtime.connect(info)) - 1],
    }
    const going = await connectCheckpointer({ runtime: kept as Runtime, onWarning: () => {} })
    await going.thread('t').lease()
    await going.thread('before').lease()
    sw.kill()
    await going.thread('other').load()
    // Its next sign of life.
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    ports.at(-1)?.disconnect()
    const next = await page(extension)
    for (const id of ['t', 'before']) await next.thread(id).lease({ wait: 1_000 })
  })

  it('has no lease any more when it is served no longer', async () => {
    const extension = new FakeExtension()
    const checkpointer = await openCheckpointer({ name: 'left', storage: memoryStorage() })
    ended.push(() => checkpointer.close())
    const stop = serveCheckpointer(checkpointer, { runtime: extension.runtime() })
    await (await page(extension, undefined, { onWarning: () => {} })).thread('t').lease()
    stop()
    await checkpointer.thread('t').lease({ wait: 2_000 })
  })
})

describe('who may do what', () => {
  it('a page of the extension is told from all else', () => {
    const runtime = new FakeExtension().runtime()
    const is = (sender: Sender): boolean => isExtensionPage(sender, runtime)
    expect(is({ id: 'own', url: `${OWN_ORIGIN}/panel.html`, origin: OWN_ORIGIN })).toBe(true)
    expect(is({ id: 'own', url: `${OWN_ORIGIN}/panel.html`, origin: OWN_ORIGIN, tab: { id: 1 } })).toBe(true)
    expect(is({ id: 'own', url: `${OWN_ORIGIN}/panel.html` })).toBe(true)
    expect(is(CONTENT)).toBe(false)
    expect(is(WEB)).toBe(false)
    expect(is({})).toBe(false)
    expect(is({ id: 'own' })).toBe(false)
    expect(is({ id: 'own', origin: 'null', url: `${OWN_ORIGIN}/sandboxed.html` })).toBe(false)
    expect(is({ id: 'other', url: 'chrome-extension://other/', origin: 'chrome-extension://other' })).toBe(
      false,
    )
    expect(
      is({ id: 'own', url: 'chrome-extension://own.evil/', origin: 'chrome-extension://own.evil' }),
    ).toBe(false)
    expect(
      is({ id: 'own', url: 'https://evil.test/chrome-extension://own/', origin: 'https://evil.test' }),
    ).toBe(false)
  })

  it('a content script gets nothing unless it is allowed', async () => {
    const extension = new FakeExtension()
    const sw = fakeWorker(extension)
    await (await sw.start()).thread('t').save({ secret: 1 })
    const script = await page(extension, CONTENT, { onWarning: () => {} })
    const heard: unknown[] = []
    script.subscribe((event) => void heard.push(event))
    const forbidden = expect.objectContaining({ code: 'FORBIDDEN' })
    await expect(script.thread('t').load()).rejects.toEqual(forbidden)
    await expect(script.thread('t').save({})).rejects.toEqual(forbidden)
    await expect(script.threads()[Symbol.asyncIterator]().next()).rejects.toEqual(forbidden)
    const panel = await page(extension)
    await panel.thread('t').save({ secret: 2 })
    expect((await panel.thread('t').load())?.seq).toBe(2)
    expect(heard).toEqual([])
  })

  it('a content script may have what `allow` says, by its tab and thread', async () => {
    const extension = new FakeExtension()
    const sw = fakeWorker(extension, {
      allow: (sender, verb, thread) =>
        isExtensionPage(sender, extension.runtime()) ||
        (sender.tab?.id === 7 && (verb === 'connect' || thread === 'tab-7')),
    })
    const own = await sw.start()
    const listeners: ((event: CheckpointerEvent) => void)[] = []
    const subscribe = own.subscribe.bind(own)
    own.subscribe = (listener) => {
      listeners.push(listener)
      return subscribe(listener)
    }
    await own.thread('private').save({ secret: 1 })
    const script = await page(extension, CONTENT)
    const heard: CheckpointerEvent[] = []
    script.subscribe((event) => void heard.push(event))
    await script.thread('tab-7').save({ n: 1 })
    await expect(script.thread('private').load()).rejects.toMatchObject({ code: 'FORBIDDEN' })
    const panel = await page(extension)
    const heardByAll: CheckpointerEvent[] = []
    panel.subscribe((event) => void heardByAll.push(event))
    await panel.thread('private').save({ secret: 2 })
    await panel.thread('tab-7').save({ n: 2 })
    await expect.poll(() => heard.length).toBeGreaterThan(1)
    // That all is gone, by another's hand, is for those who may hear of all.
    for (const tell of listeners) tell({ type: 'destroyed' })
    await expect.poll(() => heardByAll.at(-1)).toEqual({ type: 'destroyed' })
    expect(new Set(heard.map((event) => 'thread' in event && event.thread))).toEqual(new Set(['tab-7']))
  })

  it('nobody outside of the extension can connect, unless that is asked for with a rule', async () => {
    const extension = new FakeExtension()
    const sw = fakeWorker(extension)
    await sw.start()
    await expect((await page(extension, WEB)).thread('t').save({})).rejects.toMatchObject({
      code: 'FORBIDDEN',
      outcome: 'none',
    })
    expect(() =>
      serveCheckpointer(openCheckpointer({ name: 'x', storage: memoryStorage() }), {
        external: true,
        runtime: extension.runtime(),
      }),
    ).toThrow(expect.objectContaining({ code: 'INVALID', path: 'allow' }))
  }, 20_000)

  it('another extension is refused, and what that subscribes to is warned of', async () => {
    const extension = new FakeExtension()
    await (await fakeWorker(extension).start()).thread('t').save({ secret: 1 })
    const warned: CheckpointerError[] = []
    const onWarning = (warning: CheckpointerError): void => void warned.push(warning)
    const stranger = await page(extension, STRANGER, { extensionId: 'own', onWarning })
    const heard: unknown[] = []
    stranger.subscribe((event) => void heard.push(event))
    await expect.poll(() => warned).toMatchObject([{ code: 'FORBIDDEN' }])
    await expect(stranger.thread('t').load()).rejects.toMatchObject({ code: 'FORBIDDEN', outcome: 'none' })
    const watching = stranger.thread('t').watch()[Symbol.asyncIterator]()
    await expect(watching.next()).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(heard).toEqual([])
  })

  it('another extension that is allowed by its id has what it is allowed; one of another id nothing', async () => {
    const extension = new FakeExtension()
    const allow: ServeOptions['allow'] = ({ id }, verb, thread) =>
      id === STRANGER.id && (verb === 'connect' || thread === 'theirs')
    await fakeWorker(extension, { external: true, allow }).start()
    const friend = await page(extension, STRANGER)
    await friend.thread('theirs').save({ n: 1 })
    expect((await friend.thread('theirs').load())?.state).toEqual({ n: 1 })
    await expect(friend.thread('t').load()).rejects.toMatchObject({ code: 'FORBIDDEN' })
    const other = await page(extension, { ...STRANGER, id: 'yet another' })
    await expect(other.thread('theirs').load()).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })

  it('with a rule a page of the web may do what it allows', async () => {
    const extension = new FakeExtension()
    const sw = fakeWorker(extension, {
      external: true,
      allow: (sender, verb, thread) =>
        sender.origin === WEB.origin && (verb === 'connect' || thread === 'theirs'),
    })
    await sw.start()
    const web = await page(extension, WEB)
    await web.thread('theirs').save({ n: 1 })
    await expect(web.thread('t').load()).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })
})

describe('what crosses', () => {
  it('a state of 20 MB, in pieces', { timeout: 60_000 }, async () => {
    const extension = new FakeExtension()
    fakeWorker(extension)
    const thread = (await page(extension)).thread<{ text: string }>('t')
    const text = 'ä1'.repeat(7 * 2 ** 20)
    await thread.save({ text })
    const other = (await page(extension)).thread<{ text: string }>('t')
    expect((await other.load())?.state.text === text).toBe(true)
  })

  it('what is no message harms nobody', async () => {
    const extension = new FakeExtension()
    fakeWorker(extension)
    const port = extension.runtime().connect({ name: 'forkpoint:forkpoint' })
    const replies: unknown[] = []
    port.onMessage.addListener((message) => void replies.push(message))
    const strange: unknown[] = [
      null,
      'text',
      { id: 1 },
      { id: 1, at: 0, of: 1, text: '%%%' },
      { id: 2, at: 3, of: 5, text: '' },
      { id: 3, at: 0, of: 1, text: btoa('\0\0\0\x02{}') },
      { id: NaN, at: 0, of: 1, text: '' },
    ]
    await expect.poll(() => replies).toEqual([{ here: true }, { hello: 1 }])
    for (const message of strange) port.postMessage(message)
    const thread = (await page(extension)).thread('t')
    await thread.save({ n: 1 })
    expect((await thread.load())?.state).toEqual({ n: 1 })
    const answered = replies.flatMap((reply) => (reply as { id?: number }).id ?? [])
    expect(answered).toEqual([1, 2, 3])
  })
})
