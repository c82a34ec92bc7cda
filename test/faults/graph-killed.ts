import type { RunnableConfig } from '@langchain/core/runnables'
import { Annotation, END, Send, START, StateGraph } from '@langchain/langgraph'
import { openCheckpointer, type Checkpointer } from '../../src/index.ts'
import { ForkpointSaver } from '../../src/integrations/langgraph.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { DEATHS, lives } from './support/lives.ts'
import { mortalStorage, type MortalStorage } from './support/mortal-storage.ts'
import { broken, type Figures, type Proof, type ProofContext } from './support/proof.ts'
import { withoutLocks } from './support/without-locks.ts'

/** LangGraph has nobody who hears of a save that fails while a task runs: Node would end the process of the test. */
const HANGING = DEATHS.filter(({ leaves }) => leaves === 'hanging')
const config = { configurable: { thread_id: 'trip' } }

/** A graph of LangGraph is killed at each operation of its storage, twice, and gone on with by another page. */
export default {
  promise:
    'a graph that is killed anywhere comes to the same end, and no task whose writes were kept is done again',
  rounds: { short: 8, long: 2_000 },
  on: ['node'],
  run: (context) => withoutLocks(() => killEverywhere(context)),
} satisfies Proof

/** What was really done, by all pages. */
interface World {
  /** Of each task how often it was done. */
  readonly done: Map<string, number>
  /** Tasks whose writes were acknowledged. */
  readonly kept: Set<string>
}

const newWorld = (): World => ({ done: new Map(), kept: new Set() })

async function killEverywhere({ rounds, random, say }: ProofContext): Promise<Figures> {
  const whole = mortalStorage(memoryStorage())
  const world = newWorld()
  const wanted = JSON.stringify(await live(whole, world))
  const operations = whole.count()
  const tasks = world.done.size
  const sums = { kills: 0, 'second kills': 0, 'done again': 0 }
  for (const death of HANGING) {
    for (let at = 1; at <= operations; at += Math.max(1, operations / rounds)) {
      const first = { ...death, at: Math.round(at) }
      const second = { ...death, at: Math.ceil(random() * operations * 2) }
      const world = newWorld()
      const { end, deaths } = await lives({ first, second, share: random() }, (page) => live(page, world))
      if (JSON.stringify(end) !== wanted) throw broken('it came to another end', { first, second, end })
      sums.kills += deaths
      if (deaths > 1) sums['second kills']++
      for (const times of world.done.values()) sums['done again'] += times - 1
    }
    say(`${JSON.stringify(death)}: ${JSON.stringify(sums)}`)
  }
  return { operations, tasks, ...sums }
}

/** One page: it goes on with what there is, or begins. Gives the end, and the way there. */
async function live(page: MortalStorage, world: World): Promise<unknown> {
  const checkpointer = await openCheckpointer({ name: 'graph', storage: page.storage, onWarning: () => {} })
  const graph = tripGraph(new ToldSaver(checkpointer, page, world), page, world)
  for (let state = await graph.getState(config); ; state = await graph.getState(config)) {
    if (state.next.length > 0) await graph.invoke(null, config)
    else if (state.config.configurable?.['checkpoint_id'] === undefined)
      await graph.invoke({ notes: ['to Lisbon'] }, config)
    else break
  }
  const way: unknown[] = []
  for await (const { values, next, metadata } of graph.getStateHistory(config))
    way.push([metadata?.step, next, values])
  await checkpointer.close()
  return way
}

/** Tells the world which writes it has acknowledged; and nothing any more once its page is dead. */
class ToldSaver extends ForkpointSaver {
  readonly #page: MortalStorage
  readonly #world: World

  constructor(checkpointer: Checkpointer, page: MortalStorage, world: World) {
    super(checkpointer)
    this.#page = page
    this.#world = world
  }

  override put(...given: Parameters<ForkpointSaver['put']>): ReturnType<ForkpointSaver['put']> {
    return this.#alive(super.put(...given))
  }

  override async putWrites(...given: Parameters<ForkpointSaver['putWrites']>): Promise<void> {
    await this.#alive(super.putWrites(...given))
    this.#world.kept.add(given[2])
  }

  async #alive<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      if (this.#page.isDead()) await new Promise(() => {})
      throw error
    }
  }
}

const notes = Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] })
const Trip = Annotation.Root({ notes })
const Offer = Annotation.Root({ notes, shop: Annotation<string> })

/** Two nodes side by side, a `Send` to a subgraph for each of two shops, and a stop before the last word. */
function tripGraph(saver: ForkpointSaver, page: MortalStorage, { done, kept }: World) {
  const say = (text: string) => async (state: { notes: string[]; shop?: string }, at: RunnableConfig) => {
    // Who is dead does nothing.
    if (page.isDead() && page.death?.leaves === 'hanging') await page.buried
    const task = String(at.configurable?.['__pregel_task_id'])
    if (kept.has(task)) throw broken('a task whose writes were kept was done again', { task, text })
    done.set(task, (done.get(task) ?? 0) + 1)
    return { notes: [`${text} ${state.shop ?? state.notes.length} ${'and so on '.repeat(30)}`] }
  }
  const offer = new StateGraph(Offer)
    .addNode('ask', say('asked'))
    .addNode('buy', say('bought'))
    .addEdge(START, 'ask')
    .addEdge('ask', 'buy')
    .addEdge('buy', END)
    .compile()
  return new StateGraph(Trip)
    .addNode('weather', say('sun'))
    .addNode('hotels', say('rooms'))
    .addNode('plan', say('plan'))
    .addNode('offer', offer)
    .addNode('end', say('end'))
    .addEdge(START, 'weather')
    .addEdge(START, 'hotels')
    .addEdge(['weather', 'hotels'], 'plan')
    .addConditionalEdges('plan', () => ['air', 'rail'].map((shop) => new Send('offer', { shop })), ['offer'])
    .addEdge('offer', 'end')
    .addEdge('end', END)
    .compile({ checkpointer: saver, interruptBefore: ['end'] })
}
