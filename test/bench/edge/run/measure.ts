import { emptyCheckpoint, uuid6, type BaseCheckpointSaver } from '@langchain/langgraph-checkpoint'
import { openCheckpointer, type Checkpointer } from '../../../../src/index.ts'
import { ForkpointSaver } from '../../../../src/integrations/langgraph.ts'
import type { Batch, Storage } from '../../../../src/storage/storage.ts'
import { advance, newState } from '../../agent-loop.ts'
import type { Engine } from './engines.ts'

const LAST = 50
const LOADS = 15
const FORKS = 15

/** Milliseconds in the median, and bytes. */
export interface Figures {
  readonly engine: string
  readonly save: number
  readonly bareSave: number
  readonly savedBytes: number
  readonly load: number
  readonly bareLoad: number
  readonly forkEarly: number
  readonly forkLate: number
  readonly rival: string
  readonly ourPut: number
  readonly rivalPut: number
  readonly ourBytes: number
  readonly rivalBytes: number
}

export async function measure(engine: Engine, steps: number): Promise<Figures> {
  const own = await ownCosts(engine, steps)
  const langgraph = await besideRival(engine, steps)
  return { engine: engine.name, ...own, ...langgraph }
}

async function ownCosts(engine: Engine, steps: number) {
  const watched = watching(await engine.ours('own'))
  const checkpointer = await opened(watched.storage)
  const thread = checkpointer.thread('loop')
  const bare = await engine.bare()
  const state = newState()
  const saves: number[] = []
  const bareSaves: number[] = []
  let savedBytes = 0
  for (let step = 1; step <= steps; step++) {
    advance(state, step)
    watched.reset()
    saves.push(await timed(() => thread.save(state)))
    // The very same, as an engine may compress them.
    const bytes = Buffer.concat(watched.written())
    bareSaves.push(await timed(() => bare.upsert(`${step}`, bytes)))
    savedBytes = bytes.length
  }
  await bare.upsert('state', new TextEncoder().encode(JSON.stringify(state)))
  const loads: number[] = []
  const bareLoads: number[] = []
  for (let i = 0; i < LOADS; i++) {
    // Nothing of it is remembered.
    const cold = await opened(await engine.ours('own'))
    loads.push(await timed(() => cold.thread('loop').load()))
    bareLoads.push(await timed(async () => JSON.parse(new TextDecoder().decode(await bare.read('state')))))
    await cold.close()
  }
  const early: number[] = []
  const late: number[] = []
  for (let i = 0; i < FORKS; i++) {
    early.push(await timed(() => thread.fork({ at: 10, as: `early ${i}` })))
    late.push(await timed(() => thread.fork({ at: steps, as: `late ${i}` })))
  }
  await checkpointer.close()
  return {
    save: median(saves.slice(-LAST)),
    bareSave: median(bareSaves.slice(-LAST)),
    savedBytes,
    load: median(loads),
    bareLoad: median(bareLoads),
    forkEarly: median(early),
    forkLate: median(late),
  }
}

async function besideRival(engine: Engine, steps: number) {
  const rival = await engine.rival()
  const checkpointer = await opened(await engine.ours('saver'))
  const ours = new Loop(new ForkpointSaver(checkpointer))
  const theirs = new Loop(rival.saver)
  const state = newState()
  for (let step = 1; step <= steps; step++) {
    advance(state, step)
    await ours.step(step, state.messages)
    await theirs.step(step, state.messages)
  }
  await checkpointer.close()
  return {
    rival: rival.name,
    ourPut: median(ours.times.slice(-LAST)),
    rivalPut: median(theirs.times.slice(-LAST)),
    ourBytes: await engine.bytes('saver'),
    rivalBytes: await rival.bytes(),
  }
}

/** What LangGraph asks of a saver at each step. */
class Loop {
  readonly times: number[] = []
  readonly #saver: BaseCheckpointSaver
  #config: Record<string, unknown> = { thread_id: 'loop', checkpoint_ns: '' }

  constructor(saver: BaseCheckpointSaver) {
    this.#saver = saver
  }

  async step(step: number, messages: readonly unknown[]): Promise<void> {
    const versions = { messages: step }
    const checkpoint = {
      ...emptyCheckpoint(),
      id: uuid6(step),
      channel_values: { messages: [...messages] },
      channel_versions: versions,
    }
    const metadata = { source: 'loop' as const, step, parents: {} }
    const start = performance.now()
    const next = await this.#saver.put({ configurable: this.#config }, checkpoint, metadata, versions)
    this.times.push(performance.now() - start)
    this.#config = { ...next.configurable }
  }
}

const opened = (storage: Storage): Promise<Checkpointer> =>
  openCheckpointer({ name: `bench ${Math.random()}`, storage })

/** The same storage, with the bytes that one save hands to it. */
function watching(storage: Storage) {
  let bytes: Uint8Array[] = []
  const commit = (partition: string, batch: Batch) => {
    for (const { head, body } of batch.puts ?? []) bytes.push(Buffer.from(head), ...(body ? [body] : []))
    return storage.commit(partition, batch)
  }
  const watched: Storage = Object.assign(Object.create(storage), { commit })
  for (const method of ['read', 'locate', 'list', 'partitions', 'destroy', 'close'] as const)
    Object.assign(watched, { [method]: storage[method].bind(storage) })
  return { storage: watched, written: () => bytes, reset: () => (bytes = []) }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? Number.NaN
}
