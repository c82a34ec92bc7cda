import { Annotation, END, Send, START, StateGraph, type BaseCheckpointSaver } from '@langchain/langgraph/web'

const list = Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] })
const Trip = Annotation.Root({ city: Annotation<string>, notes: list, offers: list })
const Offer = Annotation.Root({ offers: list, shop: Annotation<string> })

const shops = ['air', 'rail', 'ferry']

/** Branches side by side, a `Send` for each shop, each in a subgraph that stops for a person, and a last word. */
function tripGraph(checkpointer: BaseCheckpointSaver) {
  const offer = new StateGraph(Offer)
    .addNode('ask', ({ shop }) => ({ offers: [`${shop} asked`] }))
    .addNode('buy', ({ shop }) => ({ offers: [`${shop} bought`] }))
    .addEdge(START, 'ask')
    .addEdge('ask', 'buy')
    .addEdge('buy', END)
    .compile({ interruptBefore: ['buy'] })
  return new StateGraph(Trip)
    .addNode('weather', ({ city }) => ({ notes: [`sun in ${city}`] }))
    .addNode('hotels', ({ city }) => ({ notes: [`rooms in ${city}`] }))
    .addNode('plan', ({ notes }) => ({ notes: [`${notes.length} notes`] }))
    .addNode('offer', offer)
    .addNode('end', ({ offers }) => ({ notes: [`${offers.length} offers`] }))
    .addEdge(START, 'weather')
    .addEdge(START, 'hotels')
    .addEdge(['weather', 'hotels'], 'plan')
    .addConditionalEdges('plan', () => shops.map((shop) => new Send('offer', { shop, offers: [] })), [
      'offer',
    ])
    .addEdge('offer', 'end')
    .addEdge('end', END)
    .compile({ checkpointer, interruptBefore: ['plan'] })
}

type Stage = (graph: ReturnType<typeof tripGraph>) => Promise<unknown>

const config = { configurable: { thread_id: 'trip' } }

/** Each may run in a page of its own. What they give is plain, to be compared. */
const STAGES: readonly Stage[] = [
  (graph) => graph.invoke({ city: 'Lisbon' }, config),
  async (graph) => (await graph.getState(config)).next,
  (graph) => graph.invoke(null, config),
  async (graph) => {
    const { next, tasks } = await graph.getState(config, { subgraphs: true })
    return { next, tasks: tasks.map(({ name, interrupts }) => [name, interrupts.length]) }
  },
  (graph) => graph.invoke(null, config),
  async (graph) => {
    // Back to where the plan was to be made, and another way from there.
    for await (const { next, config: past } of graph.getStateHistory(config)) {
      if (next[0] !== 'plan') continue
      const other = await graph.updateState(past, { city: 'Porto', notes: ['no, Porto'] }, 'hotels')
      return (await graph.getState(other)).values
    }
    throw new Error('The plan was not in the history.')
  },
  (graph) => graph.invoke(null, config),
  (graph) => graph.invoke(null, config),
  async (graph) => {
    const history: unknown[] = []
    for await (const { values, next, metadata, tasks } of graph.getStateHistory(config))
      history.push({
        values,
        next,
        step: metadata?.step,
        source: metadata?.source,
        tasks: tasks.map(({ name }) => name),
      })
    return history
  },
]

export const stages = STAGES.length

/** One stage of the story, told over a saver that has seen those before it. */
export const tell = (stage: number, saver: BaseCheckpointSaver): Promise<unknown> =>
  (STAGES[stage] as Stage)(tripGraph(saver))
