import { openCheckpointer, type Checkpointer, type CheckpointerError, type WorkerLike } from 'forkpoint'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { StoredCheckpointer } from '../../src/checkpointer/checkpointer.ts'
import { later } from '../../src/checkpointer/later.ts'
import type { Verb } from '../../src/operations/verbs.ts'
import { createCodec } from '../../src/state/codec.ts'
import { beatClaims } from '../../src/tabs/beat-claims.ts'
import { localEvents } from '../../src/tabs/events.ts'
import { connect } from '../../src/worker/connect.ts'
import { indexedDbHost } from '../../src/worker/in-process.ts'
import { lastingHost } from '../../src/worker/lasting.ts'
import type { Patience } from '../../src/worker/line.ts'
import { startWorker } from '../../src/worker/start.ts'
import { failureOf, neverWarn, newName, ownWorker, servedHere, shared, works } from '../support/workers.ts'

/** A worker is not waited for as long as a user's. */
const patience = { hello: 10_000, answer: 400, overdue: 400 }
const ear = { onWarning: neverWarn, patience: { ...patience, hello: 400 } }

/** With what was started for it, and what it warned of. */
interface Opened {
  readonly checkpointer: Checkpointer
  readonly started: WorkerLike[]
  readonly warnings: CheckpointerError[]
}

async function lasting(start: (nth: number) => WorkerLike, more: Partial<Patience> = {}): Promise<Opened> {
  const started: WorkerLike[] = []
  const warnings: CheckpointerError[] = []
  const host = await lastingHost({
    message: { name: newName() },
    start: () => {
      const worker = start(started.length)
      started.push(worker)
      // Before those who listen to it.
      worker.addEventListener?.('message', (event) => {
        if (deaf.has(worker)) (event as Event).stopImmediatePropagation()
      })
      return worker
    },
    orHere: false,
    onWarning: (warning) => void warnings.push(warning),
    patience: { ...patience, ...more },
  })
  const [codec, events, claims] = [createCodec(), localEvents(), beatClaims(host, neverWarn)]
  const parts = { host, codec, events, claims: async () => claims, onWarning: neverWarn } as const
  const checkpointer = new StoredCheckpointer(parts)
  onTestFinished(() => checkpointer.destroy().catch(() => undefined))
  return { checkpointer, started, warnings }
}

const opened = async (start: () => WorkerLike): Promise<Checkpointer> => (await lasting(start)).checkpointer

/** What was called for has left. */
async function sent(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve()
}

const deaf = new WeakSet<WorkerLike>()

/** From now on nothing comes back from there. */
const deafen = (worker: WorkerLike | undefined): void => void (worker && deaf.add(worker))

const isWebKit = /AppleWebKit/.test(navigator.userAgent) && !/Chrom/.test(navigator.userAgent)

const endings: [string, (worker: WorkerLike | undefined) => void][] = [
  // Not in WebKit, which keeps the transaction of a worker that is terminated in the midst of it for as long as the
  // page lives: all that comes later waits. We ourselves end none that may be at work.
  ...(isWebKit ? [] : [['is terminated', (worker) => worker?.terminate?.()] as [string, typeof deafen]]),
  ['falls silent', deafen],
  // What a page is told when a worker fails.
  ['reports a failure', (worker) => void (worker as Worker).dispatchEvent(new ErrorEvent('error'))],
]

describe.each(endings)('a worker that %s', (_, end) => {
  it('in mid-call: reads did nothing, writes may have been made, and the next call has another worker', async () => {
    const { checkpointer, started, warnings } = await lasting(ownWorker)
    const thread = checkpointer.thread('t')
    await thread.save({ n: 1 })
    const saving = failureOf(thread.save({ n: 2 }))
    const writing = failureOf(thread.putWrites(1, 'task', [{ channel: 'c', value: 1 }]))
    const loading = failureOf(thread.load())
    const counting = failureOf(thread.namespaces())
    await sent()
    end(started[0])
    expect(await saving).toMatchObject({ code: 'WORKER_LOST', outcome: 'unknown' })
    expect(await writing).toMatchObject({ code: 'WORKER_LOST', outcome: 'unknown' })
    expect(await loading).toMatchObject({ code: 'WORKER_LOST', outcome: 'none' })
    expect(await counting).toMatchObject({ code: 'WORKER_LOST', outcome: 'none' })
    const again = await thread.save({ n: 2 })
    await thread.save({ n: 2 })
    await thread.putWrites(1, 'task', [{ channel: 'c', value: 1 }])
    expect(again.seq).toBe(2)
    expect((await thread.load())?.seq).toBe(3)
    expect((await thread.load(1))?.pendingWrites).toHaveLength(1)
    expect((await checkpointer.verify()).problems).toEqual([])
    expect([started.length, warnings]).toEqual([2, []])
  })

  it('in the midst of a save with expect, which is made once', async () => {
    const { checkpointer, started } = await lasting(ownWorker)
    const thread = checkpointer.thread('t')
    const { id } = await thread.save({ n: 1 })
    const options = { expect: id, id: 'mine', node: 'act' }
    const saving = failureOf(thread.save({ n: 2 }, options))
    await sent()
    end(started[0])
    await saving
    expect(await thread.save({ n: 2 }, options)).toMatchObject({ seq: 2, id: 'mine' })
    expect(await failureOf(thread.save({ n: 2 }, options))).toMatchObject({ code: 'CONFLICT' })
  })

  it('time and again: in the end this thread does the work, and says so once', async () => {
    const { checkpointer, started, warnings } = await lasting(ownWorker)
    const thread = checkpointer.thread('t')
    for (let n = 0; n < 3; n++) {
      await thread.load()
      const saving = failureOf(thread.save({ n }))
      await sent()
      end(started[n])
      expect(await saving).toMatchObject({ code: 'WORKER_LOST' })
    }
    await thread.save({ n: 2 })
    await works(checkpointer)
    expect(started).toHaveLength(3)
    expect(warnings).toMatchObject([{ code: 'WORKER_LOST' }])
    expect(warnings[0]?.cause).toBeDefined()
  })

  it('with nothing out: the end comes cleanly', async () => {
    for (const verb of ['close', 'destroy'] as const) {
      const { checkpointer, started } = await lasting(ownWorker)
      await checkpointer.thread('t').save({ n: 1 })
      end(started[0])
      await checkpointer[verb]()
      expect(await failureOf(checkpointer.thread('t').load())).toMatchObject({ code: 'CLOSED' })
    }
  })
})

/** From the moment that it is armed, the next message that has this verb finds it dead. */
function mortal(verb: Verb): { readonly worker: WorkerLike; arm(): void } {
  const worker = ownWorker()
  let isArmed = false
  const post = worker.postMessage.bind(worker)
  worker.postMessage = (message: { argumentList?: readonly { value?: unknown }[] }, handed?: unknown) => {
    const dies = isArmed && message.argumentList?.[0]?.value === verb
    if (dies) worker.terminate()
    post(message, handed as Transferable[])
    if (!dies) return
    isArmed = false
    worker.dispatchEvent(new ErrorEvent('error'))
  }
  return { worker, arm: () => void (isArmed = true) }
}

describe('a worker that dies when it is sent what a step has come to', () => {
  it.each([100, 20_000])(
    '%i characters are sent to the next one, and the step is not done again',
    async (n) => {
      const first = mortal('putWrites')
      const { checkpointer, started } = await lasting((nth) => (nth === 0 ? first.worker : ownWorker()))
      const thread = checkpointer.thread<object>('t')
      const text = 'é'.repeat(n)
      let done = 0
      const work = async (): Promise<string> => {
        if (done++ === 0) first.arm()
        return text
      }
      const stopped = thread.run({ runId: 'r' }, async (loop) => {
        await loop.step('long', work)
        throw new Error('stopped')
      })
      await expect(stopped).rejects.toThrow('stopped')
      const { result } = await thread.run({ runId: 'r' }, (loop) => loop.step('long', work))
      expect([result === text, done, started.length]).toEqual([true, 1, 2])
    },
  )
})

describe('a worker that hangs', () => {
  const hanging = (): Worker =>
    new Worker(new URL('../support/hanging-worker.ts', import.meta.url), { type: 'module' })

  it('is ended and replaced', async () => {
    // The one that comes next must not seem to hang too where the machine is busy.
    const calm = { answer: 1_000, overdue: 1_000 }
    const start = (nth: number): Worker => (nth === 0 ? hanging() : ownWorker())
    const { checkpointer, started, warnings } = await lasting(start, calm)
    const thread = checkpointer.thread('t')
    await thread.save({ n: 1 })
    await later() // else the save below may be sent first
    const terminate = vi.spyOn(started[0] as Worker, 'terminate')
    const [counting, saving] = await Promise.all([
      failureOf(checkpointer.usage()),
      failureOf(thread.save({ n: 2 })),
    ])
    expect(counting).toMatchObject({ code: 'WORKER_LOST', outcome: 'none' })
    expect(saving).toMatchObject({ code: 'WORKER_LOST', outcome: 'unknown' })
    expect((await thread.save({ n: 2 })).seq).toBe(2)
    expect((await checkpointer.usage()).checkpoints).toBe(2)
    expect(terminate).toHaveBeenCalled()
    expect(warnings).toEqual([])
  })
})

describe('another worker', () => {
  it('is one for all calls that come meanwhile', async () => {
    const { checkpointer, started } = await lasting(ownWorker)
    const thread = checkpointer.thread('t')
    const lost = failureOf(thread.load())
    deafen(started[0])
    await lost
    const saved = await Promise.all([1, 2, 3].map((n) => thread.save({ n })))
    expect(saved.map(({ seq }) => seq)).toEqual([1, 2, 3])
    expect(started).toHaveLength(2)
  })

  const missing = (): Worker => new Worker(`/missing-${newName()}.js`, { type: 'module' })
  const broken = (): Worker => {
    const script = URL.createObjectURL(new Blob(['throw new Error("broken")'], { type: 'text/javascript' }))
    return new Worker(script, { type: 'module' })
  }
  const nobody = (): MessagePort => new MessageChannel().port1
  const refused = (): never => {
    throw new DOMException('no', 'SecurityError')
  }
  const failing: [string, (first: WorkerLike) => WorkerLike][] = [
    ['whose script is missing', missing],
    ['whose script throws', broken],
    ['that never answers', nobody],
    ['that may not be started', refused],
    ['that is none', () => ({}) as WorkerLike],
    ['that is the lost one again', (first) => first],
  ]

  it.each(failing)('%s: this thread does the work', async (_, start) => {
    let first: WorkerLike | undefined
    const next = (): WorkerLike => (first ? start(first) : (first = ownWorker()))
    const { checkpointer, warnings } = await lasting(next, { hello: 2_500 })
    const thread = checkpointer.thread('t')
    const saving = failureOf(thread.save({ n: 0 }))
    await sent()
    deafen(first)
    expect(await saving).toMatchObject({ code: 'WORKER_LOST' })
    expect((await thread.save({ n: 0 })).seq).toBe(1)
    await checkpointer.thread('other').save({ n: 1 })
    await thread.delete()
    await works(checkpointer)
    expect(warnings).toMatchObject([{ code: 'WORKER_LOST' }])
  })

  it.skipIf(!('SharedWorker' in globalThis))(
    'may be shared (where the browser has SharedWorkers)',
    async () => {
      const { checkpointer, started, warnings } = await lasting(shared)
      const thread = checkpointer.thread('t')
      await thread.save({ n: 1 })
      deafen(started[0])
      await failureOf(thread.save({ n: 2 }))
      expect((await thread.save({ n: 2 })).seq).toBe(2)
      expect([started.length, warnings]).toEqual([2, []])
    },
  )

  it('is waited for by close, with what was called before', async () => {
    const { checkpointer, started } = await lasting(ownWorker)
    const lost = failureOf(checkpointer.thread('t').load())
    deafen(started[0])
    await lost
    const saving = checkpointer.thread('t').save({ n: 1 })
    const closing = checkpointer.close()
    expect((await saving).seq).toBe(1)
    await closing
    expect(await failureOf(checkpointer.thread('t').load())).toMatchObject({ code: 'CLOSED' })
  })
})

describe('a worker that is not lost', () => {
  it('but busy', async () => {
    let answer = (): void => {}
    const busy = new Promise<void>((resolve) => {
      answer = resolve
    })
    const port = servedHere(async ({ name }, onWarning) => {
      const host = await indexedDbHost({ name }, onWarning)
      return { ...host, load: (request) => busy.then(() => host.load(request)) }
    })
    const checkpointer = await opened(() => port)
    const loading = checkpointer.thread('t').load()
    // Several times as long as a dead one is given.
    await new Promise((resolve) => setTimeout(resolve, 4_000))
    answer()
    expect(await loading).toBeUndefined()
    await checkpointer.destroy()
  })

  it('but unheard by a page that has slept, which sees its timers before its messages', async () => {
    const slow = new Promise((resolve) => setTimeout(resolve, 1_000))
    const port = servedHere(async ({ name }, onWarning) => {
      const host = await indexedDbHost({ name }, onWarning)
      return { ...host, load: (request) => slow.then(() => host.load(request)) }
    })
    const checkpointer = await opened(() => port)
    const loading = checkpointer.thread('t').load()
    let slept = 0
    const post = port.postMessage.bind(port)
    port.postMessage = (message: unknown, options?: StructuredSerializeOptions | Transferable[]) => {
      post(message, options as Transferable[])
      if ((message as { path?: string[] }).path?.[0] !== 'hello' || slept++ > 0) return
      const until = performance.now() + 500
      while (performance.now() < until);
    }
    expect(await loading).toBeUndefined()
    expect(slept).toBeGreaterThan(0)
    await checkpointer.destroy()
  })
})

describe('a worker that cannot be opened', () => {
  it('as it never says hello', async () => {
    const { port1 } = new MessageChannel()
    expect(await failureOf(connect(port1, { name: newName() }, ear))).toMatchObject({
      code: 'WORKER_LOST',
    })
  })

  it('as it is none of ours', async () => {
    const { port1, port2 } = new MessageChannel()
    port2.onmessage = ({ data }: MessageEvent<{ id: string }>) =>
      port2.postMessage({ id: data.id, type: 'RAW', value: undefined })
    expect(await failureOf(connect(port1, { name: newName() }, ear))).toMatchObject({
      code: 'WORKER_LOST',
    })
  })

  it('as it speaks another version', async () => {
    const { port1, port2 } = new MessageChannel()
    port2.onmessage = ({ data }: MessageEvent<{ id: string }>) =>
      port2.postMessage({ id: data.id, type: 'RAW', value: { protocol: 99 } })
    expect(await failureOf(connect(port1, { name: newName() }, ear))).toMatchObject({
      code: 'UNSUPPORTED',
    })
  })
})

describe('a worker that is done', () => {
  it('lives until it has closed its database, and sent the last of its messages', async () => {
    const worker = startWorker() as Worker
    const terminate = vi.spyOn(worker, 'terminate')
    const checkpointer = await openCheckpointer({ name: newName(), worker: () => worker })
    await checkpointer.thread('t').save({ n: 1 })
    await checkpointer.close()
    expect(terminate).not.toHaveBeenCalled()
    await vi.waitFor(() => expect(terminate).toHaveBeenCalledOnce(), 3_000)
  })
})
