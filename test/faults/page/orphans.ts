/** A run whose tab goes away in the midst of it, and those who wait to take it over. */
import {
  CheckpointerError,
  openCheckpointer,
  type Checkpointer,
  type Loop,
  type StreamCall,
  type WatchEvent,
} from 'forkpoint'

interface Trip {
  done: string[]
}

export interface Followed {
  /** When it was told of an orphan, by the clock. */
  readonly told: readonly number[]
  /** What it came to when it took the run over. */
  readonly ends: readonly string[]
  readonly warnings: readonly string[]
}

const CHUNKS = 400
const followed = {
  told: [] as number[],
  ends: [] as string[],
  warnings: [] as string[],
}
const watched: WatchEvent<Trip>[] = []

let opened: Promise<Checkpointer> | undefined
const checkpointer = (): Promise<Checkpointer> =>
  (opened ??= openCheckpointer({
    name: 'orphans',
    onWarning: (warning) => followed.warnings.push(warning.message),
  }))

/** Two steps, a checkpoint, and a stream that never ends in the first tab, and goes on in the next one. */
async function trip(loop: Loop<Trip>, isLast: boolean): Promise<string> {
  if (loop.state.done.length === 0) {
    loop.state.done.push(await loop.step('first', () => 'first'))
    loop.state.done.push(await loop.step('second', () => 'second', { effect: 'external' }))
    await loop.save()
  }
  async function* numbers({ chunks }: StreamCall<number>) {
    for (let n = chunks.length; n < CHUNKS; n++) {
      if (!isLast || n % 20 === 0) await new Promise((resolve) => setTimeout(resolve, isLast ? 0 : 20))
      yield n
    }
  }
  let sum = 0
  for await (const n of loop.stream('numbers', numbers, { whenCut: 'continue' })) sum += n
  loop.state.done.push(`${sum}`)
  return loop.began
}

/** Resolves when it is in the midst of it. */
export async function beginRun(id: string): Promise<void> {
  const thread = (await checkpointer()).thread<Trip>(id)
  void thread.run({ initial: { done: [] }, runId: id }, (loop) => trip(loop, false))
  for await (const event of thread.watch()) if (event.type === 'chunks') return
}

/** From now on it takes over what it is told of, as all others try to. */
export async function follow(): Promise<void> {
  const mine = await checkpointer()
  mine.onOrphan(async ({ thread, runId }) => {
    followed.told.push(Date.now())
    const end = await mine.thread<Trip>(thread).run({ runId, wait: false }, (loop) => trip(loop, true))
    followed.ends.push(`${end.began} ${end.result}`)
  })
}

export async function watch(id: string): Promise<void> {
  watched.splice(0)
  const thread = (await checkpointer()).thread<Trip>(id)
  void (async () => {
    for await (const event of thread.watch()) watched.push(event)
  })()
}

/** What was told since the last time. */
export function takeFollowed(): Followed {
  const { told, ends, warnings } = followed
  return { told: told.splice(0), ends: ends.splice(0), warnings: warnings.splice(0) }
}

/** What is wrong with what was seen; empty when nothing is. */
export function lookAtWatched(): string[] {
  const numbers: unknown[] = []
  const wrong: string[] = []
  const seen = watched.map((event) => {
    if (event.type === 'state') return `state ${event.checkpoint.state.done.length}`
    if (event.type === 'run') return `run ${event.run.status} ${event.run.updatedAt.getTime()}`
    if (event.type === 'step') return `${event.name} ${event.attempt} ${event.status}`
    if (event.from !== numbers.length) wrong.push(`chunks from ${event.from} after ${numbers.length}`)
    numbers.push(...event.chunks)
    return `chunks ${event.from}`
  })
  if (new Set(seen).size !== seen.length) wrong.push(`told twice: ${seen.join(', ')}`)
  if (numbers.length !== CHUNKS || numbers.some((n, i) => n !== i)) wrong.push(`${numbers.length} chunks`)
  if (!seen.includes('numbers 1 done')) wrong.push('the end of the stream was not told')
  if (!seen.includes('state 3')) wrong.push('the last state was not told')
  return wrong
}

export async function statusOf(id: string): Promise<string | undefined> {
  for await (const run of (await checkpointer()).runs()) if (run.thread === id) return run.status
  return undefined
}

/** What is there in the end. */
export async function doneIn(id: string): Promise<readonly string[]> {
  const head = await (await checkpointer()).thread<Trip>(id).load()
  if (!head) throw new CheckpointerError('NOT_FOUND', 'the thread is gone')
  return head.state.done
}
