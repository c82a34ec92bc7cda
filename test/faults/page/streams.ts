/** A page that streams an answer through a run, and is killed; and what the next one finds of it. */
import { openCheckpointer, type CheckpointerError } from 'forkpoint'
import type { Host } from '../../../src/operations/host.ts'
import { lastingHost } from '../../../src/worker/lasting.ts'

interface Told {
  text: string
}

/** What a page says of its stream as it goes. */
export interface Passed {
  readonly at: number
  /** How many chunks its reader has had, */
  readonly passed: number
  /** how many of them the store had acknowledged, */
  readonly stored: number
  /** and how many were there when `flush` resolved. */
  readonly flushed: number
}

const TOKENS = 5_000
const SAY_EVERY = 3
const FLUSH_EVERY = 40

const token = (i: number): string => `${i}: ${'word '.repeat(i % 5)}`
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

async function* tokens(from = 0): AsyncGenerator<string> {
  for (let i = from; i < TOKENS; i++) yield token(i)
}

async function* slowly(): AsyncGenerator<string> {
  for await (const each of tokens()) {
    await pause(4)
    yield each
  }
}

/** Streams until something ends the page. */
export async function streamUntilKilled({
  name,
  flushes,
}: {
  name: string
  flushes: boolean
}): Promise<void> {
  let stored = 0
  let passed = 0
  let flushed = 0
  const opened = await lastingHost({
    message: { name },
    start: () => new Worker(new URL('../../../src/worker/worker.ts', import.meta.url), { type: 'module' }),
    orHere: false,
    onWarning: ({ message }) => console.error(message),
  })
  const host: Host = {
    ...opened,
    async putWrites(request) {
      const reply = await opened.putWrites(request)
      for (const { channel, body } of request.writes)
        if (channel === 'forkpoint:chunks') stored = Math.max(stored, endOf(body))
      return reply
    },
  }
  const checkpointer = await openCheckpointer({ name, host })
  const say = (): void => {
    const said: Passed = { at: performance.now(), passed, stored, flushed }
    void fetch('/ack', { method: 'POST', body: JSON.stringify(said), keepalive: true })
  }
  await checkpointer.thread<Told>('t').run({ initial: { text: '' } }, async (loop) => {
    for await (const _ of loop.stream('answer', slowly)) {
      passed++
      if (passed % SAY_EVERY === 0) say()
      if (!flushes || passed % FLUSH_EVERY > 0) continue
      await checkpointer.flush()
      flushed = passed
    }
  })
}

/** Streams so many tokens, and is reloaded; how many there were when it went is left for the next page. */
export async function streamAndLeave({ name, after }: { name: string; after: number }): Promise<void> {
  const checkpointer = await openCheckpointer({ name })
  await checkpointer.thread<Told>('t').run({ initial: { text: '' } }, async (loop) => {
    let passed = 0
    addEventListener('pagehide', () => sessionStorage.setItem(name, String(passed)))
    for await (const _ of loop.stream('answer', slowly)) if (++passed === after) location.reload()
  })
}

function endOf(body: Uint8Array): number {
  const { from, chunks } = JSON.parse(new TextDecoder().decode(body)) as { from: number; chunks: unknown[] }
  return from + chunks.length
}

export interface FoundStream {
  /** How many chunks came back, in their order; -1 when they are not those that were passed on. */
  readonly found: number
  readonly isWhole: boolean
  readonly problems: number
  /** What the opening was told of the page before. */
  readonly warnings: readonly string[]
}

/** Goes on with the stream from what is there. */
export async function streamAgain({ name }: { name: string }): Promise<FoundStream> {
  const warnings: string[] = []
  const onWarning = ({ code, message }: CheckpointerError): void => void warnings.push(`${code} ${message}`)
  const checkpointer = await openCheckpointer({ name, onWarning })
  let found = 0
  const { result } = await checkpointer.thread<Told>('t').run({ initial: { text: '' } }, async (loop) => {
    const answer = loop.stream<string>(
      'answer',
      ({ chunks }) => {
        found = chunks.every((chunk, i) => chunk === token(i)) ? chunks.length : -1
        return tokens(chunks.length)
      },
      { whenCut: 'continue' },
    )
    let count = 0
    let isWhole = true
    for await (const chunk of answer) isWhole &&= chunk === token(count++)
    return isWhole && count === TOKENS
  })
  const { problems } = await checkpointer.verify()
  await checkpointer.close()
  return { found, isWhole: result, problems: problems.length, warnings }
}

export interface StreamCosts {
  readonly tokens: number
  readonly milliseconds: number
  /** Transactions that write, while it was streamed. */
  readonly transactions: number
}

/** How many transactions an answer costs that comes some tokens every few milliseconds. */
export async function streamTransactions({ name }: { name: string }): Promise<StreamCosts> {
  const checkpointer = await openCheckpointer({ name, worker: false })
  const counted = countingTransactions()
  const started = performance.now()
  await checkpointer.thread<Told>('t').run({ initial: { text: '' } }, async (loop) => {
    counted.count = 0
    let i = 0
    for await (const _ of loop.stream('answer', () => tokens())) if (++i % 5 === 0) await pause(4)
  })
  const milliseconds = performance.now() - started
  counted.stop()
  await checkpointer.close()
  return { tokens: TOKENS, milliseconds, transactions: counted.count }
}

function countingTransactions(): { count: number; stop: () => void } {
  const { prototype } = IDBDatabase
  // eslint-disable-next-line unbound-method -- It is called on what it was called on.
  const { transaction } = prototype
  const counted = { count: 0, stop: () => void (prototype.transaction = transaction) }
  prototype.transaction = function counting(this: IDBDatabase, ...args) {
    if (args[1] === 'readwrite') counted.count++
    return transaction.apply(this, args)
  }
  return counted
}

export interface StreamTimes {
  /** Milliseconds a token, the median of groups: of a loop over the bare source, and through a run. */
  readonly bare: number
  readonly streamed: number
}

/** How long a page is busy with each token, when one follows the other without a pause of its own. */
export async function streamTimes({ name }: { name: string }): Promise<StreamTimes> {
  const checkpointer = await openCheckpointer({ name })
  const bare = await timed(ticking())
  let streamed = 0
  await checkpointer.thread<Told>('t').run({ initial: { text: '' } }, async (loop) => {
    streamed = await timed(loop.stream('answer', ticking))
  })
  await checkpointer.close()
  return { bare, streamed }
}

const GROUP = 50

async function timed(chunks: AsyncIterable<string>): Promise<number> {
  const times: number[] = []
  let [count, started] = [0, performance.now()]
  for await (const _ of chunks) {
    if (++count % GROUP > 0) continue
    const now = performance.now()
    times.push((now - started) / GROUP)
    started = now
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
}

/** Each token in a task of its own, as they come from a network. */
async function* ticking(): AsyncGenerator<string> {
  const { port1, port2 } = new MessageChannel()
  for await (const each of tokens()) {
    await new Promise<void>((resolve) => {
      port1.onmessage = () => resolve()
      port2.postMessage(0)
    })
    yield each
  }
  port1.close()
}
