import 'fake-indexeddb/auto'
import {
  Annotation,
  Command,
  END,
  interrupt,
  MemorySaver,
  START,
  StateGraph,
  type BaseCheckpointSaver,
} from '@langchain/langgraph'
import type { Runnable } from '@langchain/core/runnables'
import { openCheckpointer, type Durability } from 'forkpoint'
import { ForkpointSaver } from 'forkpoint/langgraph'
import { expect, it } from 'vitest'
import { stages, tell } from '../../support/graph-story.ts'

let count = 0

/** Works with a saver on a checkpointer of its own, as after a reload: all that it knows is what is stored. */
async function reloaded<T>(
  name: string,
  work: (saver: ForkpointSaver) => Promise<T>,
  durability: Durability = 'sync',
): Promise<T> {
  const checkpointer = await openCheckpointer({ name, worker: false, durability })
  try {
    return await work(new ForkpointSaver(checkpointer))
  } finally {
    await checkpointer.close()
  }
}

it.each(['sync', 'async'] as const)(
  'a graph that is reloaded at every stop ends as with MemorySaver unreloaded, durability %s',
  async (durability) => {
    const memory = new MemorySaver()
    const name = `story-${++count}`
    for (let stage = 0; stage < stages; stage++) {
      const told = await reloaded(name, (saver) => tell(stage, saver), durability)
      expect(told).toEqual(await tell(stage, memory))
    }
  },
)

const State = Annotation.Root({
  done: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
})

/** Two tools at once: one asks a person, and the other is done by then. */
function askingGraph(checkpointer: BaseCheckpointSaver, used: string[]) {
  return new StateGraph(State)
    .addNode('book', () => ({ done: [`booked: ${interrupt<string, string>('Book it?')}`] }))
    .addNode('mail', () => {
      used.push('mail')
      return { done: ['mailed'] }
    })
    .addEdge(START, 'book')
    .addEdge(START, 'mail')
    .addEdge('book', END)
    .addEdge('mail', END)
    .compile({ checkpointer })
}

const config = { configurable: { thread_id: 'asks' } }

it.each([
  ['a reload', async () => {}],
  ['a prune', (saver: ForkpointSaver) => saver.prune(['asks'])],
] as const)('a pending interrupt beside a task that is done outlives %s', async (_, between) => {
  const name = `asks-${++count}`
  const used: string[] = []
  await reloaded(name, (saver) => askingGraph(saver, used).invoke({ done: ['asked'] }, config))
  await reloaded(name, between)
  const { done } = await reloaded(name, (saver) =>
    askingGraph(saver, used).invoke(new Command({ resume: 'yes' }), config),
  )
  expect(done).toEqual(['asked', 'booked: yes', 'mailed'])
  expect(used).toEqual(['mail'])
})

it('a fork and a copy of a graph that waits go on by themselves, each with its own answer', async () => {
  const name = `asks-${++count}`
  const used: string[] = []
  const answered = (saver: ForkpointSaver, thread_id: string, resume: string) =>
    askingGraph(saver, used).invoke(new Command({ resume }), { configurable: { thread_id } })
  const ends = await reloaded(name, async (saver) => {
    await askingGraph(saver, used).invoke({ done: [] }, config)
    const fork = await saver.fork('asks', (await saver.get(config))?.id ?? '')
    await saver.copyThread('asks', 'copy')
    return [
      await answered(saver, fork, 'a'),
      await answered(saver, 'copy', 'b'),
      await answered(saver, 'asks', 'c'),
    ]
  })
  expect(ends.map(({ done }) => done)).toEqual(['a', 'b', 'c'].map((each) => [`booked: ${each}`, 'mailed']))
  expect(used).toEqual(['mail'])
})

/** Ten graphs, each in the one before; the innermost stops before its only step. */
function deepGraph(checkpointer: BaseCheckpointSaver) {
  let inner: Runnable = level(() => ({ done: ['at the bottom'] })).compile({ interruptBefore: ['step'] })
  for (let depth = 1; depth < 10; depth++) inner = level(inner).compile()
  return level(inner).compile({ checkpointer })
}

const level = (step: Runnable | (() => typeof State.Update)) =>
  new StateGraph(State).addNode('step', step).addEdge(START, 'step').addEdge('step', END)

it('a subgraph that is ten deep stops for a person, and goes on after a reload', async () => {
  const name = `deep-${++count}`
  const thread = { configurable: { thread_id: 'deep' } }
  await reloaded(name, (saver) => deepGraph(saver).invoke({ done: [] }, thread))
  const { done } = await reloaded(name, async (saver) => {
    let longest = 0
    for await (const { config } of saver.list(thread))
      longest = Math.max(longest, String(config.configurable?.['checkpoint_ns']).length)
    expect(longest).toBeGreaterThan(256)
    return deepGraph(saver).invoke(null, thread)
  })
  expect(done).toEqual(['at the bottom'])
})

it('a fork at an earlier step takes that step anew, and ends by itself', async () => {
  const thread = { configurable: { thread_id: 'trip' } }
  await reloaded(`fork-${++count}`, async (saver) => {
    for (const stage of [0, 2, 4]) await tell(stage, saver)
    const whole = await saver.get(thread)
    const ids: string[] = []
    for await (const { checkpoint } of saver.list({
      configurable: { ...thread.configurable, checkpoint_ns: '' },
    }))
      ids.push(checkpoint.id)
    const [, , middle = ''] = ids
    const as = await saver.fork('trip', middle)
    const fork = { configurable: { thread_id: as } }
    const tuple = await saver.getTuple(fork)
    expect(tuple?.checkpoint.id).toBe(middle)
    expect(tuple?.pendingWrites).toEqual([])
    expect((await saver.get(thread))?.id).toBe(whole?.id)
    await expect(saver.fork('trip', 'none')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})

const Trip = Annotation.Root({ plan: Annotation<string>, steps: Annotation<number> })

/** Its first node writes a long text, which is stored with the checkpoint that follows, and a number. */
const planningGraph = (checkpointer: BaseCheckpointSaver, planned: string[]) =>
  new StateGraph(Trip)
    .addNode('make', () => {
      planned.push('made')
      return { plan: 'First to Lisbon. '.repeat(50), steps: 1 }
    })
    .addNode('check', ({ plan, steps }) => ({ plan: `${plan}Checked.`, steps: steps + 1 }))
    .addEdge(START, 'make')
    .addEdge('make', 'check')
    .addEdge('check', END)
    .compile({ checkpointer })

it('a step whose checkpoint is deleted is taken anew, whole', async () => {
  const name = `half-${++count}`
  const thread = { configurable: { thread_id: 'trip' } }
  const planned: string[] = []
  const end = await reloaded(name, (saver) => planningGraph(saver, planned).invoke({ steps: 0 }, thread))
  const checkpointer = await openCheckpointer({ name, worker: false })
  const later: string[] = []
  for await (const { id } of checkpointer.thread('trip').history({ limit: 2 })) later.push(id)
  await checkpointer.thread('trip').deleteCheckpoints(later)
  await checkpointer.close()
  const again = await reloaded(name, async (saver) => {
    expect((await planningGraph(saver, planned).getState(thread)).next).toEqual(['make'])
    return planningGraph(saver, planned).invoke(null, thread)
  })
  expect(again).toEqual(end)
  expect(planned).toEqual(['made', 'made'])
})
