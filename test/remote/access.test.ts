import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { CheckpointerError, openCheckpointer, type Checkpointer, type CheckpointerEvent } from 'forkpoint'
import { remoteHost } from 'forkpoint/client'
import { createHandler, onlyReads, type Access } from 'forkpoint/server'
import { memoryStorage } from 'forkpoint/storage/memory'
import { VERBS } from '../../src/operations/verbs.ts'
import { MESSAGE_TYPE } from '../../src/remote/http.ts'
import { pack, unpack } from '../../src/remote/pack.ts'
import { ATTEMPTS } from '../extension/real/attempts.ts'
import { inMemory } from './serving.ts'

const ended: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end()
})

async function served(): Promise<Checkpointer> {
  const checkpointer = await inMemory()
  ended.push(() => checkpointer.close())
  return checkpointer
}

/** A handler without a network between. */
const through =
  (handler: (request: Request) => Promise<Response>): typeof fetch =>
  (input, init) =>
    handler(new Request(input as URL, init))

async function over(handler: (request: Request) => Promise<Response>, headers = {}): Promise<Checkpointer> {
  const host = remoteHost('http://localhost/store', { fetch: through(handler), headers })
  const checkpointer = await openCheckpointer({ name: 'far', host })
  ended.push(() => checkpointer.close())
  return checkpointer
}

const post = async (
  handler: (request: Request) => Promise<Response>,
  message: unknown,
  init: RequestInit = {},
): Promise<{ status: number; value?: unknown; error?: { code: string; message: string } }> => {
  const response = await handler(
    new Request('http://localhost/call', {
      method: 'POST',
      headers: { 'content-type': MESSAGE_TYPE },
      body: pack(message),
      ...init,
    }),
  )
  const bytes = new Uint8Array(await response.arrayBuffer())
  return { status: response.status, ...(bytes.length > 0 ? (unpack(bytes) as object) : {}) }
}

describe('who may do what', () => {
  it('without authorize no handler is made', async () => {
    const checkpointer = await served()
    expect(() => createHandler(checkpointer, {} as never)).toThrow(
      expect.objectContaining({ code: 'INVALID', path: 'authorize' }),
    )
  })

  it('what is no checkpointer is refused at once', () => {
    expect(() => createHandler({ thread() {} } as never, { authorize: () => true })).toThrow(
      expect.objectContaining({ code: 'INVALID', path: 'checkpointer' }),
    )
  })

  it('every thread that a call touches is asked for, before anything is done', async () => {
    const store = await served()
    await store.thread('mine').save({ n: 1 })
    await store.thread('theirs').save({ secret: 1 })
    const asked: Pick<Access, 'verb' | 'thread'>[] = []
    const handler = createHandler(store, {
      authorize: ({ verb, thread }) => {
        asked.push({ verb, thread })
        return thread === 'mine' || thread === 'mine-too'
      },
    })
    const far = await over(handler)
    const [mine, theirs] = [far.thread('mine'), far.thread('theirs')]
    const first = (items: AsyncIterable<unknown>): Promise<unknown> => items[Symbol.asyncIterator]().next()
    const attempts: (() => Promise<unknown>)[] = [
      () => theirs.load(),
      () => theirs.save({ n: 2 }),
      () => theirs.fork({ as: 'mine-too' }),
      () => mine.fork({ as: 'theirs-too' }),
      () => mine.copy('theirs-too'),
      () => theirs.copy('mine-too'),
      () => theirs.prune({ keepLast: 0 }),
      () => theirs.delete(),
      () => theirs.deleteCheckpoints([1]),
      () => theirs.deleteRun('run'),
      () => theirs.putWrites(1, 'task', [{ index: 0, channel: 'c', value: 1 }]),
      () => theirs.lease({ wait: false }),
      () => theirs.namespaces(),
      () => first(theirs.history()),
      () => first(far.export('theirs')),
      () => first(far.export()),
      () => far.usage(),
      () => far.verify(),
      () => far.verify({ repair: true }),
      () => far.import(new Uint8Array([1])),
    ]
    for (const attempt of attempts)
      await expect(attempt()).rejects.toEqual(expect.objectContaining({ code: 'FORBIDDEN' }))
    expect(asked.length).toBeGreaterThanOrEqual(attempts.length)
    const again = await over(handler)
    expect((await again.thread('mine').load())?.state).toEqual({ n: 1 })
    const names: string[] = []
    for await (const { id } of store.threads()) names.push(id)
    expect(names.sort()).toEqual(['mine', 'theirs'])
    expect((await store.thread('theirs').load())?.state).toEqual({ secret: 1 })
  })

  it.each(['all', 'named'])(
    'a sync brings forks of what is not theirs, as threads of their own: %s',
    async (which) => {
      const store = await served()
      await store.thread('mine-there').save({ n: 0 })
      const handler = createHandler(store, {
        authorize: ({ thread, verb }) => thread?.startsWith('mine') ?? verb === 'threads',
      })
      const local = await served()
      await local.thread('draft').save({ n: 1 })
      await (await local.thread('draft').fork({ as: 'mine-fork' })).save({ n: 2 })
      await local.thread('mine').save({ n: 3 })
      const threads = ['mine-fork', 'mine', 'mine-there']
      const far = await over(handler)
      const result = await local.sync(far, which === 'all' ? {} : { threads })
      expect(result.refused).toEqual(which === 'all' ? ['draft'] : [])
      expect((await local.thread('mine-there').load())?.state).toEqual({ n: 0 })
      expect((await store.thread('mine').load())?.state).toEqual({ n: 3 })
      const shown: unknown[] = []
      for await (const { state } of store.thread('mine-fork').history({ states: true })) shown.push(state)
      expect(shown).toEqual([{ n: 2 }, { n: 1 }])
      expect(await store.thread('draft').load()).toBeUndefined()
      expect((await store.verify()).problems).toEqual([])
      const again = await local.sync(far, which === 'all' ? {} : { threads })
      expect(again.sent).toEqual({ checkpoints: 0, removed: 0 })
    },
  )

  it('every verb that names a thread is refused to who is not allowed it, and does nothing', async () => {
    const store = await served()
    await store.thread('secret').save({ n: 1 })
    const stored = async () => {
      const thread = store.thread('secret')
      const [run, heads] = [await thread.latestRun(), await thread.heads()]
      return { run, heads, last: await thread.load(), checkpoints: (await store.usage()).checkpoints }
    }
    const before = await stored()
    const handler = createHandler(store, { authorize: () => false })
    for (const verb of VERBS) {
      const { error, value } = await post(handler, { verb, request: ATTEMPTS[verb] })
      // What is listed is left out; what names nothing, or is for nobody from elsewhere, has nothing to give.
      if (['threads', 'runs', 'syncList'].includes(verb)) expect(value, verb).toMatchObject({ items: [] })
      else if (['flush', 'endCarry'].includes(verb)) expect([verb, value]).toEqual([verb, undefined])
      else expect(['FORBIDDEN', 'UNSUPPORTED'], verb).toContain(error?.code)
    }
    expect(await stored()).toEqual(before)
  })

  it('a stream of events is opened for those alone who may hear any', async () => {
    const store = await served()
    const asked: unknown[] = []
    const handler = createHandler(store, {
      authorize: ({ verb, thread }) => {
        asked.push([verb, thread])
        return false
      },
    })
    expect((await handler(new Request('http://localhost/events'))).status).toBe(403)
    expect(asked).toEqual([['events', undefined]])
  })

  it('a stream whose caller is gone before it begins listens to nothing', async () => {
    const store = await served()
    const [subscribe, gone] = [vi.spyOn(store, 'subscribe'), new AbortController()]
    gone.abort()
    const handler = createHandler(store, { authorize: () => true })
    const { body } = await handler(new Request('http://localhost/events', { signal: gone.signal }))
    expect(await new Response(body).text()).toBe('')
    expect(subscribe).toHaveBeenCalled()
    const heard: unknown[] = []
    store.subscribe((event) => heard.push(event))
    await store.thread('t').save({ n: 1 })
    await vi.waitFor(() => expect(heard).toHaveLength(1))
  })

  it('a stream of a store that is closed by now is refused, and leaves no timer behind', async () => {
    const store = await inMemory()
    const handler = createHandler(store, { authorize: () => true })
    const opened = await handler(new Request('http://localhost/events'))
    await opened.body?.cancel()
    await store.close()
    const timers = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'setInterval')]
    try {
      const refused = await handler(new Request('http://localhost/events'))
      expect(unpack(new Uint8Array(await refused.arrayBuffer()))).toMatchObject({ error: { code: 'CLOSED' } })
      for (const timer of timers) expect(timer).not.toHaveBeenCalled()
    } finally {
      for (const timer of timers) timer.mockRestore()
    }
  })

  it('a fork into a thread that is not allowed says how it can be named', async () => {
    const store = await served()
    const handler = createHandler(store, { authorize: ({ thread }) => thread?.startsWith('mine/') === true })
    const thread = (await over(handler)).thread('mine/t')
    await thread.save({ n: 1 })
    await expect(thread.fork()).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('`as`'),
    })
    expect((await thread.fork({ as: 'mine/fork' })).id).toBe('mine/fork')
  })

  it('who may only look can look, and no more', async () => {
    const store = await served()
    await store.thread('t').save({ n: 1 })
    const far = await over(createHandler(store, { authorize: ({ verb }) => onlyReads(verb) }))
    expect((await far.thread('t').load())?.state).toEqual({ n: 1 })
    expect((await far.usage()).checkpoints).toBe(1)
    for (const attempt of [
      () => far.thread('t').save({ n: 2 }),
      () => far.thread('t').delete(),
      () => far.thread('t').fork(),
      () => far.thread('t').lease({ wait: false }),
      () => far.verify({ repair: true }),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })

  it('a store that is served to others is not destroyed from there, and nothing is closed', async () => {
    const store = await served()
    const far = await over(createHandler(store, { authorize: () => true }))
    await far.thread('t').save({ n: 1 })
    await expect(far.destroy()).rejects.toMatchObject({ code: 'UNSUPPORTED', outcome: 'none' })
    expect((await far.thread('t').load())?.state).toEqual({ n: 1 })
  })

  it('nobody from elsewhere ends the store for the others', async () => {
    const store = await served()
    const handler = createHandler(store, { authorize: () => true })
    const far = await openCheckpointer({
      name: 'far',
      host: remoteHost('http://localhost', { fetch: through(handler) }),
    })
    await far.thread('t').save({ n: 1 })
    await expect(far.destroy()).rejects.toMatchObject({ code: 'UNSUPPORTED' })
    await (await over(handler)).close()
    expect((await store.thread('t').load())?.state).toEqual({ n: 1 })
  })

  it('what is not allowed is left out of lists, and of where things come from', async () => {
    const store = await served()
    for (let i = 0; i < 300; i++) await store.thread(i % 100 === 7 ? `mine-${i}` : `theirs-${i}`).save({ i })
    await store.thread('theirs-1').fork({ as: 'mine-fork' })
    const far = await over(
      createHandler(store, { authorize: ({ thread }) => thread?.startsWith('mine') === true }),
    )
    const seen: string[] = []
    for await (const { id, forkOf, label } of far.threads()) {
      seen.push(id)
      expect([forkOf, label]).toEqual([undefined, undefined])
    }
    const here = await inMemory('here')
    ended.push(() => here.close())
    await here.sync(far, { threads: ['mine-fork'] })
    for await (const thread of here.threads()) expect(JSON.stringify(thread)).not.toContain('theirs')
    expect(seen.sort()).toEqual(['mine-107', 'mine-207', 'mine-7', 'mine-fork'])
  })

  it('an export goes on for whom it was begun', async () => {
    const store = await served()
    for (let n = 0; n < 40; n++)
      await store.thread('mine').save({ n, text: crypto.randomUUID().repeat(3_000) })
    const far = await over(createHandler(store, { authorize: ({ thread }) => thread === 'mine' }))
    let bytes = 0
    let pages = 0
    for await (const piece of far.export('mine')) {
      bytes += piece.length
      pages++
    }
    expect(pages).toBeGreaterThan(1)
    expect(bytes).toBeGreaterThan(1_000_000)
  })

  it('an export of a fork says nothing of an origin that was not asked for', async () => {
    const store = await served()
    await store.thread('secret-plan').save({ n: 1 })
    await store.thread('secret-plan').fork({ as: 'mine' })
    await store.thread('secret-plan').fork({ as: 'named', label: 'my own' })
    const far = await over(createHandler(store, { authorize: ({ thread }) => thread !== 'secret-plan' }))
    const read = async (from: Checkpointer, ids: string[]): Promise<string> => {
      let text = ''
      for await (const piece of from.export(ids)) text += new TextDecoder().decode(piece)
      return text
    }
    const told = await read(far, ['mine', 'named'])
    expect(told).not.toContain('secret-plan')
    expect(told).toContain('my own')
    // One's own files say it.
    expect(await read(store, ['mine'])).toContain('secret-plan')
    const copy = await served()
    await copy.import(new Blob([told]))
    expect((await copy.thread('mine').load())?.state).toEqual({ n: 1 })
  })

  it('each caller may have a store of its own', async () => {
    const stores = new Map([
      ['ada', await served()],
      ['bob', await served()],
    ])
    const handler = createHandler(
      (request) => {
        const store = stores.get(request.headers.get('x-user') ?? '')
        if (!store) throw new Error('nobody')
        return store
      },
      { authorize: () => true, onError: () => {} },
    )
    const ada = await over(handler, { 'x-user': 'ada' })
    const bob = await over(handler, async () => ({ 'x-user': 'bob' }))
    await ada.thread('t').save({ of: 'ada' })
    expect(await bob.thread('t').load()).toBeUndefined()
    const nobody = await over(handler)
    await expect(nobody.thread('t').load()).rejects.toMatchObject({ code: 'FAILED' })
  })
})

describe('what comes from strangers', () => {
  it('is refused unless it is a request of a verb that is for callers', async () => {
    const store = await served()
    await store.thread('t').save({ n: 1 })
    const handler = createHandler(store, { authorize: () => true })
    const place = { thread: 't', namespace: '' }
    const bad: unknown[] = [
      null,
      [],
      { verb: 'constructor' },
      { verb: '__proto__', request: {} },
      { verb: 'toString' },
      { verb: 'close' },
      { verb: 'owe' },
      { verb: 'settle', request: { sessions: [], inOrder: true } },
      { verb: 'reconcile', request: { heads: [] } },
      { verb: 'recordLoss', request: {} },
      { verb: 'load' },
      { verb: 'load', request: { thread: 't' } },
      { verb: 'load', request: { ...place, thread: { toString: 1 } } },
      { verb: 'load', request: { ...place, thread: 'x'.repeat(10_000) } },
      { verb: 'load', request: { ...place, more: 1 } },
      { verb: 'load', request: { ...place, at: { seq: -1 } } },
      { verb: 'history', request: { ...place, limit: 1e9, order: 'newest', states: true } },
      { verb: 'save', request: { ...place, key: 'k', createdAt: 'now', fields: {}, frame: { body: null } } },
      { verb: 'keepLease', request: { thread: 't', lease: 'l', times: 1e9, every: 0 } },
      ...['', 'a\0b', '\ud800', 'x'.repeat(2_000)].map((lease) => ({
        verb: 'dropLease',
        request: { thread: 't', lease },
      })),
      { verb: 'verify', request: { from: { partition: 'a\0b', table: 'checkpoints' } } },
      { verb: 'verify', request: { from: { partition: 't', table: 'checkpoints', after: ['\ud800'] } } },
      { verb: 'saveMany', request: { ...place, saves: [{ thread: 'other' }] } },
    ]
    for (const message of bad) {
      const { error } = await post(handler, message)
      expect(['INVALID', 'UNSUPPORTED'], JSON.stringify(message)).toContain(error?.code)
    }
    expect((await store.thread('t').load())?.state).toEqual({ n: 1 })
  })

  it('a rule without end is one over a wire too', async () => {
    const store = await served()
    const far = await over(createHandler(store, { authorize: () => true }))
    const most = Number.MAX_SAFE_INTEGER
    const thread = far.thread('t', { retention: { keepLast: most, keepEvery: most } })
    await thread.save({ n: 1 })
    for (const rules of [{ maxBytes: Infinity }, { keepLast: most }, { keepEvery: most }])
      expect((await thread.prune(rules)).removed).toEqual([])
  })

  it('every verb refuses what it does not know', async () => {
    const handler = createHandler(await served(), { authorize: () => true })
    for (const verb of VERBS) {
      const { error } = await post(handler, { verb, request: { surprise: true } })
      expect(['INVALID', 'UNSUPPORTED'], verb).toContain(error?.code)
    }
  })

  it('no extra is taken that could not be decoded: it would hide the list from all', async () => {
    const store = await served()
    const handler = createHandler(store, { authorize: () => true })
    const deep: unknown = JSON.parse('['.repeat(2_000) + ']'.repeat(2_000))
    for (const value of [{ $fp: ['bogus'] }, { $fp: ['Date', 'x'] }, { $fp: [] }, deep]) {
      const request = {
        thread: 't',
        namespace: '',
        key: 'k',
        createdAt: 1,
        fields: { extra: [['name', value]] },
        frame: { body: new TextEncoder().encode('{}') },
      }
      expect((await post(handler, { verb: 'save', request })).error?.code).toBe('INVALID')
    }
  })

  it('no body is taken that could not be read: it would be the head, and refuse every load', async () => {
    const store = await served()
    const handler = createHandler(store, { authorize: () => true })
    const thread = store.thread('t')
    const first = await thread.save({ n: 1 })
    const place = { thread: 't', namespace: '' }
    const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
    const base = { id: first.id, key: first.id }
    const nested = '['.repeat(2_000) + ']'.repeat(2_000)
    const wholes = ['', '{', 'no JSON', '{"$fp":["bogus"]}', '{"$fp":["Date","x"]}', nested]
    const deep = (path: readonly string[]): string =>
      `[["=",${JSON.stringify(path)},${'['.repeat(900)}${']'.repeat(900)}]]`
    const steps: string[] = Array(900).fill('n')
    const unsound = [
      '[["=",[],{"$fp":["nothing","x"]}]]',
      '[["[",["n"],0,0,[{"$fp":["Date","x"]}]]]',
      deep(steps),
      deep(['$fp', ...steps]),
    ]
    const changes = [
      '',
      '{',
      '{}',
      'null',
      '[["?",[]]]',
      '[["=",[{}],1]]',
      '[["[",["n"],-1,0,[]]]',
      ...unsound,
    ]
    const bodies = wholes.map(bytes).concat(new Uint8Array([0x22, 0xff, 0x22]))
    const large = bytes(`[${'"large",'.repeat(100_000)}1`)
    const frames = [
      ...[...bodies, large].map((body) => ({ body })),
      ...[...changes.map(bytes), large].map((body) => ({ base, body })),
    ]
    const made = { key: 'k', createdAt: 1, fields: {} }
    const sound = { ...place, ...made, key: 'sound', frame: { body: bytes('{}') } }
    const writes = bodies.map((body) => ({ taskId: 'task', index: 0, channel: 'c', body }))
    const asked: [string, unknown][] = [
      ...frames.flatMap((frame): [string, unknown][] => [
        ['save', { ...place, ...made, frame }],
        ['saveMany', { ...place, saves: [sound, { ...place, ...made, frame }] }],
        ['fork', { ...place, as: 'fork', createdAt: 1, key: 'f', first: { ...made, frame } }],
      ]),
      ...writes.flatMap((write): [string, unknown][] => [
        ['putWrites', { ...place, checkpoint: 1, writes: [write] }],
        ['save', { ...sound, writes: [write] }],
      ]),
    ]
    for (const [verb, request] of asked) {
      const { status, error } = await post(handler, { verb, request })
      expect([status, error?.code], JSON.stringify(request).slice(0, 400)).toEqual([400, 'INVALID'])
    }
    expect((await store.usage()).checkpoints).toBe(1)
    expect((await post(handler, { verb: 'save', request: sound })).error).toBeUndefined()
    expect(await thread.load()).toMatchObject({ seq: 2, state: {} })
  })

  it('a lease is shown no less often than a timer can', async () => {
    const handler = createHandler(await served(), { authorize: () => true })
    const request = { thread: 't', lease: 'l', times: 10, every: 2 ** 31 }
    expect((await post(handler, { verb: 'keepLease', request })).error?.code).toBe('INVALID')
  })

  it('a save among others that names another thread is asked for too', async () => {
    const store = await served()
    const handler = createHandler(store, { authorize: ({ thread }) => thread === 'mine' })
    const body = new TextEncoder().encode('{}')
    const save = (thread: string, key: string) => ({
      thread,
      namespace: '',
      key,
      createdAt: 1,
      fields: {},
      frame: { body },
    })
    const request = { thread: 'mine', namespace: '', saves: [save('mine', 'a'), save('theirs', 'b')] }
    expect((await post(handler, { verb: 'saveMany', request })).error?.code).toBe('FORBIDDEN')
    expect(await store.thread('theirs').load()).toBeUndefined()
  })

  it('no form, no other path and no other method gets an answer', async () => {
    const handler = createHandler(await served(), { authorize: () => true })
    const message = { verb: 'threads', request: { limit: 1 } }
    const form = await post(handler, message, { headers: { 'content-type': 'text/plain' } })
    expect(form.status).toBe(400)
    const at = async (path: string, method: string) =>
      (await handler(new Request(`http://localhost/${path}`, { method }))).status
    expect(await at('call', 'GET')).toBe(405)
    expect(await at('events', 'DELETE')).toBe(405)
    expect(await at('../etc/passwd', 'GET')).toBe(404)
    expect(await at('', 'GET')).toBe(404)
  })

  it('a message that is too large is not read to its end', async () => {
    const handler = createHandler(await served(), { authorize: () => true, maxBytes: 1_000 })
    let given = 0
    const body = new ReadableStream({
      pull(controller) {
        given++
        if (given > 1_000) controller.close()
        else controller.enqueue(new Uint8Array(100))
      },
    })
    const response = await handler(
      new Request('http://localhost/call', {
        method: 'POST',
        headers: { 'content-type': MESSAGE_TYPE },
        body,
        duplex: 'half',
      } as RequestInit),
    )
    expect(response.status).toBe(413)
    expect(given).toBeLessThan(50)
  })

  it('a message that is nothing but brackets is refused at once', async () => {
    const handler = createHandler(await served(), { authorize: () => true })
    const body = new Uint8Array(2 ** 20).fill(0x5b)
    new DataView(body.buffer).setUint32(0, body.length - 4)
    const parse = vi.spyOn(JSON, 'parse')
    onTestFinished(() => parse.mockRestore())
    const response = await handler(
      new Request('http://localhost/call', {
        method: 'POST',
        headers: { 'content-type': MESSAGE_TYPE },
        body,
      }),
    )
    expect([response.status, parse.mock.calls.length]).toEqual([400, 0])
  })

  it('a message that its caller breaks off is no failure of the server', async () => {
    const told: CheckpointerError[] = []
    const handler = createHandler(await served(), {
      authorize: () => true,
      onError: (error) => void told.push(error),
    })
    const body = new ReadableStream({ pull: () => Promise.reject(new Error('aborted')) })
    const reply = await post(handler, undefined, { body, duplex: 'half' } as RequestInit)
    expect(reply).toMatchObject({ status: 400, error: { code: 'INVALID' } })
    expect(told).toEqual([])
  })

  it('what fails within is told to the log, and not to the caller', async () => {
    const told: unknown[] = []
    const handler = createHandler(
      () => {
        throw new Error('password=1234')
      },
      { authorize: () => true, onError: (error) => void told.push(error) },
    )
    const { status, error } = await post(handler, { verb: 'threads', request: { limit: 1 } })
    expect(status).toBe(500)
    expect(JSON.stringify(error)).not.toContain('1234')
    expect(String((told[0] as Error).cause)).toContain('1234')
  })

  it.each([
    ['what an engine has thrown', new Error('at ada/secret.db')],
    [
      'what a storage has made of it',
      new CheckpointerError('QUOTA', 'No room at ada/secret.db', {
        cause: new Error(),
        outcome: 'none',
      }),
    ],
  ])('%s is told to the log, and not to the caller', async (_, failure) => {
    const storage = memoryStorage()
    const store = await openCheckpointer({ name: 'failing', storage })
    await store.thread('t').save({ n: 1 })
    storage.read = () => Promise.reject(failure)
    const told: CheckpointerError[] = []
    const handler = createHandler(store, {
      authorize: () => true,
      onError(error) {
        told.push(error)
        throw new Error('no log')
      },
    })
    vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => void vi.restoreAllMocks())
    const { error } = await post(handler, {
      verb: 'history',
      request: { thread: 't', namespace: '', limit: 1, order: 'newest', states: false },
    })
    expect(JSON.stringify(error)).not.toContain('secret')
    expect(told.map(String).join()).toContain('secret')
    if (CheckpointerError.is(failure))
      expect(error).toMatchObject({ code: 'QUOTA', details: { outcome: 'none' } })
  })

  it('what is no message of this package is the mistake of its caller, and of no matter to the log', async () => {
    const told: CheckpointerError[] = []
    const handler = createHandler(await served(), {
      authorize: () => true,
      onError: (error) => void told.push(error),
    })
    const body = new TextEncoder().encode('garbage')
    expect(await post(handler, undefined, { body })).toMatchObject({
      status: 400,
      error: { code: 'INVALID' },
    })
    expect(told).toEqual([])
  })

  it('what a failure is about is told without the words of it, and no thread that was not named', async () => {
    const storage = memoryStorage()
    const store = await openCheckpointer({ name: 'failing', storage })
    await store.thread('t').save({ n: 1 })
    const handler = createHandler(store, { authorize: () => true, onError: () => {} })
    const head = (thread: string) => ({ thread, namespace: '', expected: 2 })
    const loss = { expected: { database: 'd', threads: 2 }, found: { database: 'e', threads: 0 } }
    const usage = { bytes: 5, quota: 4 }
    const cause = new Error('at ada/secret.db')
    for (const thread of ['t', 'other']) {
      const about = { thread, namespace: '', seq: 1, path: '$.a' }
      const heads = [head('t'), head('other')]
      storage.read = () =>
        Promise.reject(
          new CheckpointerError('DATA_LOSS', 'x', { ...about, usage, loss: { ...loss, heads }, cause }),
        )
      const request = { thread: 't', namespace: '', limit: 1, order: 'newest', states: false }
      const { error } = await post(handler, { verb: 'history', request })
      const known = { usage, loss: { ...loss, heads: [head('t')] } }
      expect(error).toMatchObject({ details: thread === 't' ? { ...about, ...known } : known })
      expect(JSON.stringify(error)).not.toContain('other')
    }
  })
})

describe('a wire that breaks', () => {
  it('a save of which nobody knows is recognised when it is called for again', async () => {
    const store = await served()
    const handler = createHandler(store, { authorize: () => true })
    let cut = true
    const host = remoteHost('http://localhost/', {
      async fetch(input, init) {
        const response = await handler(new Request(input as URL, init))
        if (cut && (init?.body as Uint8Array | undefined)) {
          cut = false
          throw new TypeError('network')
        }
        return response
      },
    })
    const far = await openCheckpointer({ name: 'far', host })
    const thread = far.thread('t')
    await expect(thread.save({ n: 1 })).rejects.toMatchObject({ code: 'WORKER_LOST', outcome: 'unknown' })
    expect((await thread.save({ n: 1 })).seq).toBe(1)
    expect((await thread.save({ n: 2 })).seq).toBe(2)
    await far.close()
  })

  it.each([
    ['is cut off', (bytes: Uint8Array<ArrayBuffer>) => bytes.slice(0, -3)],
    ['is nothing', () => new Uint8Array()],
    ['is no object', () => pack(null)],
    ['is an error that is none', () => pack({ error: null })],
  ])('an answer that %s says not whether a save was made', async (_, garble) => {
    const store = await served()
    const handler = createHandler(store, { authorize: () => true })
    const garbled = new Set<string>()
    const host = () =>
      remoteHost('http://localhost/', {
        async fetch(input, init) {
          const { verb } = unpack(init?.body as Uint8Array) as { verb: string }
          const response = await handler(new Request(input as URL, init))
          const bytes = new Uint8Array(await response.arrayBuffer())
          return new Response(garbled.delete(verb) ? garble(bytes) : bytes, response)
        },
      })
    const far = await openCheckpointer({ name: 'far', host: host() })
    const thread = far.thread('t')
    garbled.add('save').add('load')
    await expect(thread.save({ n: 1 })).rejects.toMatchObject({ code: 'WORKER_LOST', outcome: 'unknown' })
    expect((await thread.save({ n: 1 })).seq).toBe(1)
    expect((await thread.load())?.state).toEqual({ n: 1 })
    await far.close()
    const warnings: unknown[] = []
    const onWarning = (warning: unknown): void => void warnings.push(warning)
    const behind = await openCheckpointer({ name: 'far', host: host(), durability: 'async', onWarning })
    garbled.add('saveMany')
    await behind.thread('behind').save({ n: 1 })
    await vi.waitFor(() => behind.flush())
    expect(garbled).toEqual(new Set())
    expect(warnings).not.toContainEqual(expect.objectContaining({ outcome: 'none' }))
    expect((await store.usage()).checkpoints).toBe(2)
    await behind.close()
  })

  it('the longest wait for an answer is as long as a timer can be', async () => {
    const handler = createHandler(await served(), { authorize: () => true })
    const host = remoteHost('http://localhost/', { fetch: through(handler), timeout: 2 ** 40 })
    const far = await openCheckpointer({ name: 'far', host })
    expect((await far.thread('t').save({ n: 1 })).seq).toBe(1)
    await far.close()
    for (const timeout of [Infinity, Number.NaN, 0])
      expect(() => remoteHost('http://localhost/', { timeout })).toThrow(/timeout/)
  })

  it('a URL that says not where is refused', () => {
    for (const url of ['/store', 'store', ''])
      expect(() => remoteHost(url)).toThrow(expect.objectContaining({ code: 'INVALID', path: 'url' }))
  })

  it('what only reads is asked for once more', async () => {
    const store = await served()
    await store.thread('t').save({ n: 1 })
    const handler = createHandler(store, { authorize: () => true })
    let calls = 0
    const host = remoteHost('http://localhost/', {
      async fetch(input, init) {
        if (++calls % 2 === 1) throw new TypeError('network')
        return handler(new Request(input as URL, init))
      },
    })
    const far = await openCheckpointer({ name: 'far', host })
    expect((await far.thread('t').load())?.state).toEqual({ n: 1 })
    await far.close()
  })

  it('says what is wrong when something else answers', async () => {
    const at = async (status: number): Promise<unknown> => {
      const host = remoteHost('http://localhost/', { fetch: async () => new Response('<html>', { status }) })
      const far = await openCheckpointer({ name: 'far', host })
      const error: unknown = await far
        .thread('t')
        .save({})
        .catch((reason: unknown) => reason)
      await far.close()
      return (error as { code?: unknown }).code
    }
    expect(await at(200)).toBe('WORKER_LOST')
    expect(await at(401)).toBe('FORBIDDEN')
    expect(await at(404)).toBe('UNSUPPORTED')
    expect(await at(413)).toBe('TOO_LARGE')
    expect(await at(502)).toBe('WORKER_LOST')
  })
})

describe('changes that are heard', () => {
  const until = async (is: () => boolean): Promise<void> => {
    for (let i = 0; i < 500 && !is(); i++) await new Promise((resolve) => setTimeout(resolve, 10))
    expect(is()).toBe(true)
  }

  it('those of other callers come, of allowed threads alone', async () => {
    const store = await served()
    const handler = createHandler(store, { authorize: ({ thread }) => thread !== 'theirs' })
    const far = await over(handler)
    const heard: CheckpointerEvent[] = []
    far.subscribe((event) => void heard.push(event))
    // The stream is open once something of it is heard.
    for (let i = 0; i < 200 && heard.length === 0; i++) {
      await store.thread('mine').save({ i })
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    await store.thread('theirs').save({})
    await store.thread('theirs').fork({ as: 'mine-fork' })
    await store.thread('last').save({})
    await until(() => heard.some((event) => 'thread' in event && event.thread === 'last'))
    expect(JSON.stringify(heard)).not.toContain('theirs')
  })

  it('after the stream was broken it is begun anew, and what was saved meanwhile is told', async () => {
    const store = await served()
    const handler = createHandler(store, { authorize: () => true })
    const streams: AbortController[] = []
    const host = remoteHost('http://localhost/', {
      async fetch(input, init) {
        if (!(input as URL).pathname.endsWith('/events')) return handler(new Request(input as URL, init))
        const cut = new AbortController()
        streams.push(cut)
        return handler(new Request(input as URL, { ...init, signal: cut.signal }))
      },
    })
    const far = await openCheckpointer({ name: 'far', host })
    const heard: CheckpointerEvent[] = []
    far.subscribe((event) => void heard.push(event))
    await until(() => streams.length === 1)
    await new Promise((resolve) => setTimeout(resolve, 50))
    streams[0]?.abort()
    await store.thread('meanwhile').save({})
    await until(() => heard.some((event) => 'thread' in event && event.thread === 'meanwhile'))
    await far.close()
  })
})
