import { afterEach, describe, expect, it } from 'vitest'
import { openCheckpointer, type Checkpointer } from 'forkpoint'
import {
  connectCheckpointer,
  isExtensionPage,
  serveCheckpointer,
  type Port,
  type Sender,
  type ServeOptions,
} from 'forkpoint/extension'
import { memoryStorage } from 'forkpoint/storage/memory'
import { Assembly, isPart, partsOf, type Part } from '../../src/extension/parts.ts'
import { Room } from '../../src/extension/room.ts'
import { FakeExtension } from './fake-runtime.ts'

const SCRIPT: Sender = { id: 'own', url: 'https://shop.test/', origin: 'https://shop.test', tab: { id: 7 } }
const OURS = 'tab 7'
const PLACE = { thread: OURS, namespace: '' }
/** A piece as all but the last of a message are: 768 KiB. */
const FULL = 'A'.repeat(2 ** 20)

const ended: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end()
})

/** An extension that lets this content script have one thread, beside its pages. */
async function extension(options: Omit<ServeOptions, 'runtime' | 'allow'> = {}): Promise<{
  readonly own: Checkpointer
  readonly fake: FakeExtension
}> {
  const fake = new FakeExtension()
  const own = await openCheckpointer({ name: 'own', storage: memoryStorage() })
  const runtime = fake.runtime()
  const allow: ServeOptions['allow'] = (sender, verb, thread) =>
    isExtensionPage(sender, runtime) || (sender.tab?.id === 7 && (verb === 'connect' || thread === OURS))
  ended.push(serveCheckpointer(own, { runtime, allow, ...options }), () => own.close())
  return { own, fake }
}

interface Answer {
  readonly id: number
  readonly value?: unknown
  readonly error?: { readonly code: string; readonly details: object }
}

/** A port as its other end leaves it to whoever holds it, and what is heard on it. */
async function rawPort(fake: FakeExtension): Promise<{
  readonly port: Port
  readonly post: (verb: string, request: unknown, id: number) => void
  readonly answers: Answer[]
}> {
  const port = fake.runtime(SCRIPT).connect({ name: 'forkpoint:forkpoint' })
  const [answers, said]: [Answer[], unknown[]] = [[], []]
  const assembly = new Assembly(new Room(2 ** 30))
  port.onMessage.addListener((message) => {
    said.push(message)
    const whole = isPart(message) ? assembly.add(message) : undefined
    if (whole) answers.push({ id: (message as Part).id, ...(whole.message as object) })
  })
  await expect.poll(() => said).toEqual([{ here: true }, { hello: 1 }])
  const post = (verb: string, request: unknown, id: number): void => {
    for (const part of partsOf(id, { verb, request })) port.postMessage(part)
  }
  return { port, post, answers }
}

const bytesOf = (state: string): Uint8Array => new TextEncoder().encode(JSON.stringify(state))

describe('who is let in by a port', () => {
  it('is not listened to before that, however long it takes to decide', async () => {
    const fake = new FakeExtension()
    const own = await openCheckpointer({ name: 'own', storage: memoryStorage() })
    let asked = 0
    const allow = async (): Promise<boolean> => {
      asked++
      await new Promise((resolve) => setTimeout(resolve, 50))
      return false
    }
    ended.push(serveCheckpointer(own, { runtime: fake.runtime(), allow }), () => own.close())
    const port = fake.runtime(SCRIPT).connect({ name: 'forkpoint:forkpoint' })
    const said: unknown[] = []
    port.onMessage.addListener((message) => void said.push(message))
    for (const part of partsOf(1, { verb: 'load', request: new Uint8Array(2 ** 22) })) port.postMessage(part)
    await expect
      .poll(() => said)
      .toEqual([{ here: true }, { refused: expect.objectContaining({ code: 'FORBIDDEN' }) }])
    expect(asked).toBe(1)
  })

  it('cannot have more kept of a message than one may have, and goes on with the next', async () => {
    const { own, fake } = await extension({ maxBytes: 2 ** 20 })
    const { port, post, answers } = await rawPort(fake)
    // Never ended, and said to be endless.
    for (let at = 0; at < 8; at++) port.postMessage({ id: 1, at, of: Number.MAX_SAFE_INTEGER, text: FULL })
    post('head', PLACE, 2)
    await expect.poll(() => answers.find(({ id }) => id === 2)).toMatchObject({ value: {} })
    expect(answers[0]).toMatchObject({ id: 1, error: { code: 'TOO_LARGE', details: { outcome: 'none' } } })
    await own.thread(OURS).save(1)
  })

  it('cannot have pieces kept that weigh nothing', async () => {
    const { fake } = await extension()
    const { port, post, answers } = await rawPort(fake)
    const count = 1_000
    for (let at = 0; at < count; at++) port.postMessage({ id: 1, at, of: 300, text: '' })
    post('head', PLACE, 2)
    await expect.poll(() => answers.find(({ id }) => id === 2)).toMatchObject({ value: {} })
    expect(answers.filter(({ error }) => error?.code === 'INVALID')).toHaveLength(count)
  })

  it('has no more kept over many ports than over one, and others have room of their own', async () => {
    const { fake } = await extension({ maxBytes: 4 * 2 ** 20 })
    const ports = await Promise.all(Array.from({ length: 6 }, () => rawPort(fake)))
    // Five of them are 3.75 MiB.
    for (const { port } of ports) port.postMessage({ id: 1, at: 0, of: 2, text: FULL })
    const refused = (): unknown[] => ports.flatMap(({ answers }) => answers.map(({ error }) => error?.code))
    await expect.poll(refused).toEqual(['TOO_LARGE'])
    const panel = await connectCheckpointer({ runtime: fake.runtime() })
    ended.push(() => panel.close())
    const large = 'x'.repeat(3 * 2 ** 20)
    await panel.thread('of the panel').save(large)

    // Who goes leaves its room to the rest.
    for (const { port } of ports) port.disconnect()
    const again = await rawPort(fake)
    again.post('save', { ...PLACE, key: 'k', createdAt: 1, fields: {}, frame: { body: bytesOf(large) } }, 2)
    await expect.poll(() => again.answers).toMatchObject([{ id: 2, value: { saved: { seq: 1 } } }])
  })

  it('sends pieces out of their order, of other messages, twice and of nothing: each is refused', async () => {
    const { fake } = await extension()
    const { port, post, answers } = await rawPort(fake)
    const pieces: Part[] = [
      { id: 1, at: 1, of: 2, text: '' },
      { id: 2, at: 0, of: 2, text: FULL },
      { id: 3, at: 1, of: 2, text: 'AAAA' },
      { id: 4, at: 0, of: 0, text: 'AAAA' },
      { id: 5, at: -1, of: 1, text: 'AAAA' },
      { id: 6, at: 0, of: 1, text: 'not base64 %' },
      { id: 7, at: 0, of: 1, text: btoa('\0\0\0\x02[]') },
      { id: 8, at: 0, of: 1, text: btoa(`\0\x01\x86\xa0${'['.repeat(100_000)}`) },
      { id: 10, at: 0, of: 1, text: '' },
      { id: 11, at: 0, of: 2, text: 'AAAA' },
      { id: 12, at: 0, of: 1, text: `${FULL}AAAA` },
    ]
    for (const piece of pieces) port.postMessage(piece)
    post('head', PLACE, 9)
    post('head', PLACE, 9)
    await expect.poll(() => answers.filter(({ id }) => id === 9)).toHaveLength(2)
    const refused = answers.filter(({ error }) => error?.code === 'INVALID').map(({ id }) => id)
    expect(refused).toEqual([1, 3, 4, 5, 6, 7, 8, 10, 11, 12])
  })

  it('names what objects have by themselves, and reaches none of it', async () => {
    const { fake } = await extension()
    const { post, answers } = await rawPort(fake)
    const own = JSON.parse(
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
    ) as object
    const strange = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'then']
    strange.forEach((verb, index) => post(verb, PLACE, index))
    post('head', { ...PLACE, ...own }, 10)
    post('history', { ...PLACE, limit: 1, order: 'newest', states: false, where: own }, 11)
    post('head', own, 12)
    await expect.poll(() => answers).toHaveLength(strange.length + 3)
    const codes = new Set(answers.map(({ error }) => error?.code))
    expect(codes).toEqual(new Set(['UNSUPPORTED', 'INVALID']))
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  it('floods: what it may do is done in order, and a page gets its turn', { timeout: 60_000 }, async () => {
    const { own, fake } = await extension()
    const { answers, post } = await rawPort(fake)
    const count = 3_000
    for (let id = 0; id < count; id++) post('head', { thread: id % 2 ? OURS : 'secret', namespace: '' }, id)
    const panel = await connectCheckpointer({ runtime: fake.runtime() })
    ended.push(() => panel.close())
    await panel.thread('of the panel').save(1)
    await expect.poll(() => answers.length, { timeout: 50_000 }).toBe(count)
    const forbidden = answers.filter(({ error }) => error?.code === 'FORBIDDEN').length
    expect(forbidden).toBe(count / 2)
    expect((await own.thread('of the panel').load())?.state).toBe(1)
  })

  it('asks for signs of life without a pause, and is refused', async () => {
    const { own, fake } = await extension()
    await own.thread(OURS).save(1)
    const { post, answers } = await rawPort(fake)
    post('takeLease', { thread: OURS, key: 'claim', always: true }, 1)
    await expect.poll(() => answers).toHaveLength(1)
    const [{ value } = { value: undefined }] = answers
    const { lease } = value as { lease: string }
    post('keepLease', { thread: OURS, lease, every: 1e-9, times: 10_000 }, 2)
    post('takeLease', { thread: OURS, key: 'claim', locked: true }, 3)
    await expect.poll(() => answers).toHaveLength(3)
    expect(answers.slice(1).map(({ error }) => error?.code)).toEqual(['INVALID', 'INVALID'])
  })
})
