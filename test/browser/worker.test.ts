import {
  openCheckpointer,
  CheckpointerError,
  type Checkpointer,
  type OpenOptions,
  type WorkerLike,
} from 'forkpoint'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Host } from '../../src/operations/host.ts'
import { indexedDbHost } from '../../src/worker/in-process.ts'
import type { Opener } from '../../src/worker/serve.ts'
import {
  failureOf,
  handedOn,
  neverWarn,
  newName,
  ownWorker,
  servedHere,
  shared,
  works,
} from '../support/workers.ts'

async function open(options: Partial<OpenOptions> = {}): Promise<Checkpointer> {
  const opened = await openCheckpointer({ name: newName(), onWarning: neverWarn, ...options })
  onTestFinished(() => opened.destroy().catch(() => undefined))
  return opened
}

describe('what the caller gives', () => {
  const kinds: [string, () => WorkerLike][] = [
    ['a Worker', ownWorker],
    ['a port into a worker', handedOn],
    ['a port served in this thread', servedHere],
    ...('SharedWorker' in globalThis
      ? [["a SharedWorker's port", shared] as [string, () => WorkerLike]]
      : []),
  ]

  it.each(kinds)('%s serves', async (_, worker) => {
    const name = newName()
    const first = await openCheckpointer({ name, worker, onWarning: neverWarn })
    await works(first)
    await first.close()
    const second = await open({ name, worker })
    expect((await second.thread('t').load())?.state).toEqual({ n: 2 })
  })

  it('serves one checkpointer, for two would share a database', async () => {
    const worker = ownWorker()
    const first = await open({ worker: () => worker })
    // A refusal hangs up, which ends what was given; so the second one is not the worker itself.
    const borrowed: WorkerLike = {
      postMessage: (message, transfer) => worker.postMessage(message, transfer ?? []),
      addEventListener: (...args) => worker.addEventListener(...args),
      removeEventListener: (...args) => worker.removeEventListener(...args),
    }
    const refused = openCheckpointer({ name: newName(), worker: () => borrowed })
    expect(await failureOf(refused)).toMatchObject({ code: 'INVALID' })
    await works(first)
  })

  it('must be an endpoint', async () => {
    for (const given of [undefined, {}, Promise.resolve(ownWorker)])
      expect(await failureOf(open({ worker: () => given as never }))).toMatchObject({ code: 'INVALID' })
  })

  it('may fail to start', async () => {
    const cause = new DOMException('no', 'SecurityError')
    const refuse = (): never => {
      throw cause
    }
    expect(await failureOf(open({ worker: refuse }))).toMatchObject({ code: 'WORKER_LOST', cause })
  })
})

describe('where workers are refused', () => {
  const RealWorker = globalThis.Worker
  const scripted = (script: string): typeof Worker =>
    class extends RealWorker {
      constructor() {
        super(script, { type: 'module' })
      }
    }
  const broken = URL.createObjectURL(new Blob(['throw new Error("broken")'], { type: 'text/javascript' }))
  const refusals: [string, typeof Worker | undefined][] = [
    [
      'the constructor throws',
      class {
        constructor() {
          throw new DOMException('Refused by the policy of the page.', 'SecurityError')
        }
      } as unknown as typeof Worker,
    ],
    ['there is no constructor', undefined],
    ['the script is missing', scripted(`/missing-${newName()}.js`)],
    ['the script throws', scripted(broken)],
  ]

  it.each(refusals)('%s: runs in this thread, and says so once', async (_, Refused) => {
    vi.stubGlobal('Worker', Refused)
    onTestFinished(() => void vi.unstubAllGlobals())
    const onWarning = vi.fn<(warning: CheckpointerError) => void>()
    const checkpointer = await open({ onWarning })
    await works(checkpointer)
    expect(onWarning).toHaveBeenCalledOnce()
    expect(onWarning.mock.calls[0]?.[0]).toMatchObject({ code: 'WORKER_LOST', name: 'CheckpointerError' })
    expect(onWarning.mock.calls[0]?.[0].cause).toBeDefined()
  })

  it('fails with a code when the worker is the caller’s', async () => {
    const Broken = scripted(broken)
    expect(await failureOf(open({ worker: () => new Broken('') }))).toMatchObject({ code: 'WORKER_LOST' })
  })
})

describe('what crosses', () => {
  it.each(['worker', 'port'])('errors, with all they are about: by %s', async (kind) => {
    const checkpointer = await open({ worker: kind === 'worker' ? ownWorker : () => servedHere() })
    const thread = checkpointer.thread('t', { namespace: 'n' })
    await thread.save({ n: 1 })
    const error = await failureOf(thread.save({ n: 2 }, { expect: 7 }))
    expect(error).toBeInstanceOf(CheckpointerError)
    expect(error).toMatchObject({ code: 'CONFLICT', thread: 't', namespace: 'n', seq: 1 })
    expect(await failureOf(thread.save({ f: () => 1 }))).toMatchObject({ code: 'INVALID', path: '$.f' })
  })

  it('errors, with their path, outcome and cause; strange ones as FAILED', async () => {
    const details = { thread: 't', namespace: 'n', seq: 3, path: '$.a[1]', outcome: 'unknown' } as const
    const coded = new CheckpointerError('CORRUPT', 'Row 3 is damaged.', {
      ...details,
      cause: new TypeError('bad bytes'),
    })
    const checkpointer = await open({
      worker: () =>
        servedHere(async ({ name }, onWarning) => ({
          ...(await indexedDbHost({ name }, onWarning)),
          load: () => Promise.reject(coded),
          usage: () => Promise.reject(new RangeError('strange')),
        })),
    })
    const crossed = await failureOf(checkpointer.thread('t').load())
    expect(crossed).toMatchObject({ code: 'CORRUPT', message: 'Row 3 is damaged.', ...details })
    expect(crossed.cause).toMatchObject({ message: 'TypeError: bad bytes' })
    const strange = await failureOf(checkpointer.usage())
    expect(strange).toMatchObject({ code: 'FAILED', message: 'RangeError: strange' })
    expect(strange).not.toHaveProperty('thread')
  })

  it('warnings that belong to no call', async () => {
    const onWarning = vi.fn<(warning: CheckpointerError) => void>()
    let warn: Parameters<Opener>[1] = () => {}
    const port = servedHere((message, tell) => {
      warn = tell
      return indexedDbHost(message, tell)
    })
    await open({ worker: () => port, onWarning })
    expect(onWarning).not.toHaveBeenCalled()
    warn(new CheckpointerError('DATA_LOSS', 'Gone.', { thread: 't', cause: new Error('why') }))
    await vi.waitFor(() => expect(onWarning).toHaveBeenCalledOnce())
    const [warning] = onWarning.mock.calls[0] ?? []
    expect(warning).toBeInstanceOf(CheckpointerError)
    expect(warning).toMatchObject({ code: 'DATA_LOSS', message: 'Gone.', thread: 't' })
    expect(warning?.cause).toMatchObject({ message: 'Error: why' })
  })

  it.each([false, 'auto', ownWorker] as const)(
    '5 MB, and the caller keeps its buffers: %s',
    async (worker) => {
      const checkpointer = await open({ worker })
      const thread = checkpointer.thread<{ text: string; bytes: Uint8Array; buffer: ArrayBuffer }>('t')
      const bytes = new Uint8Array(1_000_000).map((_, i) => (i * 31) % 251)
      const state = { text: 'é'.repeat(2_500_000), bytes, buffer: bytes.slice(0, 10_000).buffer }
      await thread.save(state)
      await thread.putWrites(1, 'task', [{ channel: 'c', value: bytes }])
      expect([bytes.length, state.buffer.byteLength]).toEqual([1_000_000, 10_000])
      const again = await thread.save(state)
      expect(again.seq).toBe(2)
      for (const seq of [1, 2]) {
        const loaded = await thread.load(seq)
        expect(loaded?.state.text === state.text).toBe(true)
        expect(equal(loaded?.state.bytes, bytes)).toBe(true)
        expect(loaded?.state.buffer.byteLength).toBe(10_000)
      }
      const value = (await thread.load(1))?.pendingWrites[0]?.value as Uint8Array
      expect(equal(value, bytes)).toBe(true)
    },
  )

  it('events, to every checkpointer of the name, and nothing but events', async () => {
    const name = newName()
    const one = await open({ name })
    const two = await open({ name, worker: false })
    const heard: unknown[] = []
    one.subscribe((event) => heard.push(event))
    const heardByTwo = new Promise((resolve) => void two.subscribe(resolve))
    const channel = new BroadcastChannel(`forkpoint:1:${name}`)
    for (const message of [
      null,
      'saved',
      42,
      [],
      { type: 'saved' },
      { type: 'constructor' },
      { type: '__proto__', thread: 't' },
      { type: 'deleted', thread: 7 },
      { type: 'pruned', thread: 't', namespace: '', seqs: ['1'] },
      { forkpointWarning: { code: 'FAILED', message: 'no' } },
    ])
      channel.postMessage(message)
    const { id } = await one.thread('t').save({ n: 1 })
    const saved = { type: 'saved', thread: 't', namespace: '', seq: 1, id }
    await vi.waitFor(() => expect(heard).toEqual([saved]))
    expect(await heardByTwo).toEqual(saved)
    channel.close()
  })
})

describe('a hostile peer', () => {
  const RAW = (value: unknown): unknown => ({ type: 'RAW', value })
  const refused: unknown[] = [
    { type: 'GET', path: [] },
    { type: 'GET', path: ['call'] },
    { type: 'GET', path: ['constructor', 'constructor'] },
    { type: 'SET', path: ['call'], value: RAW(1) },
    { type: 'SET', path: ['__proto__', 'polluted'], value: RAW(true) },
    { type: 'SET', path: ['hello', '__proto__', 'polluted'], value: RAW(true) },
    { type: 'CONSTRUCT', path: ['call', 'constructor'], argumentList: [RAW('globalThis.polluted = true')] },
    { type: 'APPLY', path: ['call', 'constructor'], argumentList: [RAW('globalThis.polluted = true')] },
    { type: 'APPLY', path: ['call', 'constructor', 'constructor'], argumentList: [RAW('polluted = true')] },
    { type: 'APPLY', path: ['call', 'apply'], argumentList: [] },
    { type: 'APPLY', path: ['__proto__'], argumentList: [] },
    { type: 'APPLY', path: ['constructor'], argumentList: [RAW({ polluted: true })] },
    { type: 'APPLY', path: ['__defineGetter__'], argumentList: [RAW('polluted'), RAW(1)] },
    { type: 'APPLY', path: ['toString'], argumentList: [] },
    { type: 'APPLY', path: [['hello']], argumentList: [] },
    { type: 'APPLY', path: 'hello', argumentList: [] },
    { type: 'APPLY', path: [], argumentList: [] },
    { type: 'APPLY', path: ['hello'] },
    { type: 'APPLY', path: ['hello'], argumentList: [null] },
    { type: 'APPLY', path: ['hello'], argumentList: { length: 0 } },
    { type: 'APPLY', path: ['call'], argumentList: [{ type: 'HANDLER', name: 'throw', value: {} }] },
    { type: 'APPLY', path: ['call'], argumentList: [{ type: 'HANDLER', name: 'proxy', value: {} }] },
    { type: 'ENDPOINT' },
    { type: 'RELEASE' },
    { type: 'unknown', path: ['hello'], argumentList: [] },
    {},
  ]
  const answered: [verb: unknown, code: string][] = [
    ['constructor', 'UNSUPPORTED'],
    ['__proto__', 'UNSUPPORTED'],
    ['toString', 'UNSUPPORTED'],
    ['hasOwnProperty', 'UNSUPPORTED'],
    [['load'], 'UNSUPPORTED'],
    [{ toString: 'load' }, 'UNSUPPORTED'],
    [undefined, 'UNSUPPORTED'],
    ['load', 'CLOSED'],
    ['destroy', 'CLOSED'],
  ]

  it.each([
    ['a worker', ownWorker],
    ['a port in this thread', servedHere],
  ] as [string, () => Worker | MessagePort][])('of %s changes nothing and gets nothing', async (_, given) => {
    const port = given()
    const replies = new Map<string, unknown>()
    port.addEventListener('message', (event) => {
      const { id, ...reply } = (event as MessageEvent<{ id: string }>).data
      replies.set(id, reply)
    })
    if (port instanceof MessagePort) port.start()
    for (const message of [null, undefined, 'hello', 1, [], new Map()]) port.postMessage(message)
    refused.forEach((message, i) => port.postMessage({ id: `refused-${i}`, ...(message as object) }))
    answered.forEach(([verb], i) => {
      const argumentList = [RAW(verb), RAW({})]
      port.postMessage({ id: `answered-${i}`, type: 'APPLY', path: ['call'], argumentList })
    })
    port.postMessage({ id: 'last', type: 'APPLY', path: ['hello'], argumentList: [] })
    await vi.waitFor(() => expect(replies.has('last')).toBe(true), 10_000)
    // One that took the long way would be here by now.
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(replies.get('last')).toEqual({ type: 'RAW', value: { protocol: 1 } })
    expect([...replies.keys()].filter((id) => id.startsWith('refused'))).toEqual([])
    answered.forEach(([verb, code], i) => {
      const reply = replies.get(`answered-${i}`) as { value?: { error?: unknown } } | undefined
      expect(reply?.value?.error, JSON.stringify(verb)).toMatchObject({ code })
    })
    expect('polluted' in globalThis).toBe(false)

    // It is as it was.
    const checkpointer = await open({ worker: () => port })
    await works(checkpointer)
  })

  it('gets nothing with requests that the store does not know', async () => {
    const name = newName()
    let host: Host | undefined
    const port = servedHere(async (_, onWarning) => (host = await indexedDbHost({ name }, onWarning)))
    const checkpointer = await open({ name, worker: () => port })
    await checkpointer.thread('t').save({ n: 1 })
    const before = await host?.usage({})
    const hostile: unknown[] = [
      undefined,
      null,
      7,
      'load',
      [],
      { thread: { toString: 1 } },
      { thread: '__proto__' },
    ]
    let id = 0
    for (const verb of ['load', 'save', 'fork', 'prune', 'putWrites', 'history', 'deleteRun']) {
      for (const request of hostile) {
        const argumentList = [RAW(verb), RAW(request)]
        port.postMessage({ id: `hostile-${++id}`, type: 'APPLY', path: ['call'], argumentList })
      }
    }
    expect((await checkpointer.thread('t').load())?.state).toEqual({ n: 1 })
    expect(await host?.usage({})).toEqual(before)
    expect((await checkpointer.verify()).problems).toEqual([])
    expect('polluted' in {}).toBe(false)
  })
})

function equal(a: Uint8Array | undefined, b: Uint8Array): boolean {
  return a?.length === b.length && a.every((byte, i) => byte === b[i])
}
