/** Graphs of every kind, told a stage at a time, so that each may be told by another page. What they give is plain. */
import { AIMessage, type BaseMessage, type ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import {
  Annotation,
  Command,
  DeltaChannel,
  END,
  entrypoint,
  getPreviousState,
  interrupt,
  MessagesAnnotation,
  Send,
  START,
  StateGraph,
  task,
  type BaseCheckpointSaver,
} from '@langchain/langgraph'
import { ToolNode } from '@langchain/langgraph/prebuilt'
import { z } from 'zod'

export type Stage = (saver: BaseCheckpointSaver) => Promise<unknown>

const config = { configurable: { thread_id: 'twin' } }
const list = () => Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] })
const Log = Annotation.Root({ log: list() })
const said = (text: string) => () => ({ log: [text] })

interface Told {
  invoke(input: unknown, options: object): Promise<unknown>
  getState(at: object, options?: object): Promise<{ values: unknown; next: string[]; tasks: readonly Asks[] }>
  getStateHistory(at: object): AsyncIterable<{
    values: unknown
    next: string[]
    metadata?: { source?: string; step?: number }
    tasks: readonly Asks[]
    config: object
  }>
}
interface Asks {
  readonly name: string
  readonly interrupts: readonly { readonly id?: string; readonly value?: unknown }[]
  readonly result?: unknown
}

/** All that is there, but for ids, which are drawn. */
const history =
  (graphOver: (saver: BaseCheckpointSaver) => unknown): Stage =>
  async (saver) => {
    const told: unknown[] = []
    for await (const each of (graphOver(saver) as Told).getStateHistory(config)) {
      const { values, next, metadata, tasks } = each
      const { source, step } = metadata ?? {}
      told.push({ values, next, source, step, tasks: tasks.map(({ name, result }) => [name, result]) })
    }
    return told
  }

const asked = (tasks: readonly Asks[]) =>
  tasks.map(({ name, interrupts }) => [name, interrupts.map(({ value }) => value)])

/** An agent whose three tools are called at once: two of them ask a person. */
function toolsAtOnce(saver: BaseCheckpointSaver) {
  const asking = (name: string) =>
    tool(({ item }) => `${name} ${item}: ${interrupt<string, string>(`${name} ${item}?`)}`, {
      name,
      schema: z.object({ item: z.string() }),
    })
  const look = tool(({ item }) => `looked at ${item}`, {
    name: 'look',
    schema: z.object({ item: z.string() }),
  })
  const tools = new ToolNode([asking('buy'), asking('sell'), look])
  const calls = ['buy', 'look', 'sell'].map((name) => ({ name, args: { item: name }, id: `c-${name}` }))
  const isDone = (messages: BaseMessage[]) => messages.some(({ type }) => type === 'tool')
  const model = ({ messages }: typeof MessagesAnnotation.State) => ({
    messages: [
      isDone(messages)
        ? new AIMessage({ id: 'last', content: `${messages.length - 2} results` })
        : new AIMessage({ id: 'first', content: '', tool_calls: calls }),
    ],
  })
  return new StateGraph(MessagesAnnotation)
    .addNode('model', model)
    .addNode('tools', tools)
    .addEdge(START, 'model')
    .addConditionalEdges(
      'model',
      ({ messages }) =>
        isDone(messages)
          ? END
          : calls.map((call) => new Send('tools', { ...call, type: 'tool_call', lg_tool_call: call })),
      ['tools', END],
    )
    .addEdge('tools', 'model')
    .compile({ checkpointer: saver })
}

const textsOf = ({ messages }: { messages: readonly BaseMessage[] }): unknown =>
  messages.map((message) => [message.type, message.content, (message as ToolMessage).tool_call_id])

/** Answers one of the questions that are open; the others stay. */
async function answerOne(saver: BaseCheckpointSaver, answer: string): Promise<unknown> {
  const graph = toolsAtOnce(saver)
  const { tasks } = await graph.getState(config)
  const open = tasks.flatMap(({ interrupts }) => interrupts)
  const [one] = open.toSorted((a, b) => String(a.value).localeCompare(String(b.value)))
  const ended = await graph.invoke(new Command({ resume: { [one?.id ?? '']: answer } }), config)
  return [textsOf(ended), asked((await graph.getState(config)).tasks)]
}

function functional(saver: BaseCheckpointSaver) {
  const search = task('search', async (city: string) => `flights to ${city}`)
  return entrypoint({ name: 'trip', checkpointer: saver }, async (city: string) => {
    const found = await search(city)
    const answer = interrupt<string, string>(`${found}?`)
    const before = getPreviousState<string[]>() ?? []
    return entrypoint.final({ value: `${found}: ${answer}`, save: [...before, `${city} ${answer}`] })
  })
}

/** A subgraph that keeps a memory of its own from call to call. */
function remembering(saver: BaseCheckpointSaver) {
  const inner = new StateGraph(Log)
    .addNode('count', ({ log }) => ({ log: [`call ${log.length}`] }))
    .addEdge(START, 'count')
    .addEdge('count', END)
    .compile({ checkpointer: true })
  return new StateGraph(Log)
    .addNode('inner', async () => ({ log: (await inner.invoke({ log: [] })).log }))
    .addEdge(START, 'inner')
    .addEdge('inner', END)
    .compile({ checkpointer: saver })
}

/** A list of which a step stores only what it adds. */
function delta(saver: BaseCheckpointSaver) {
  const add = (log: string[], more: string[][]) => [...log, ...more.flat()]
  const Delta = Annotation.Root({
    log: () =>
      new DeltaChannel<string[], string[]>(add, { snapshotFrequency: 4, initialValueFactory: () => [] }),
  })
  const node = ({ log }: typeof Delta.State) => ({ log: [`of ${log.length}`] })
  const graph = new StateGraph(Delta).addNode('a', node).addNode('b', node).addNode('c', node)
  return graph
    .addEdge(START, 'a')
    .addEdge('a', 'b')
    .addEdge('b', 'c')
    .addConditionalEdges('c', ({ log }) => (log.length % 10 < 9 ? 'a' : END), ['a', END])
    .compile({ checkpointer: saver })
}

/** Of two nodes side by side one fails at first: what the other has done is not done again. */
function failing(done: string[]) {
  let isFailing = true
  return (saver: BaseCheckpointSaver) =>
    new StateGraph(Log)
      .addNode('good', () => {
        done.push('good')
        return { log: ['good'] }
      })
      .addNode('bad', async () => {
        await new Promise((resolve) => setTimeout(resolve, 20))
        const wasFailing = isFailing
        isFailing = false
        if (wasFailing) throw new Error('The line was cut.')
        return { log: ['bad'] }
      })
      .addNode('end', ({ log }) => ({ log: [`${log.length}`] }))
      .addEdge(START, 'good')
      .addEdge(START, 'bad')
      .addEdge(['good', 'bad'], 'end')
      .addEdge('end', END)
      .compile({ checkpointer: saver })
}

function going(saver: BaseCheckpointSaver) {
  const to = (goto: string, text: string) => () => new Command({ goto, update: { log: [text] } })
  const ends = { ends: ['b', 'c', END] }
  return new StateGraph(Log)
    .addNode('a', to('c', 'from a'), ends)
    .addNode('b', to(END, 'from b'), ends)
    .addNode('c', to('b', 'from c'), ends)
    .addEdge(START, 'a')
    .compile({ checkpointer: saver, interruptAfter: ['c'] })
}

function line(saver: BaseCheckpointSaver) {
  return new StateGraph(Log)
    .addNode('a', said('a'))
    .addNode('b', said('b'))
    .addNode('c', said('c'))
    .addEdge(START, 'a')
    .addEdge('a', 'b')
    .addEdge('b', 'c')
    .addEdge('c', END)
    .compile({ checkpointer: saver })
}

const pastOf = async (graph: Told, before: string): Promise<object> => {
  for await (const { next, config: past } of graph.getStateHistory(config))
    if (next[0] === before) return past
  throw new Error(`Nothing was before ${before}`)
}

/** From one checkpoint two branches, each of which goes on with what it holds, after the other was made. */
async function siblings(saver: BaseCheckpointSaver): Promise<unknown> {
  const graph = line(saver)
  const past = await pastOf(graph as unknown as Told, 'c')
  const [left, right] = [
    await graph.updateState(past, { log: ['left'] }),
    await graph.updateState(past, { log: ['right'] }),
  ]
  return [await graph.invoke(null, left), await graph.invoke(null, right)]
}

const goodRuns =
  (done: string[]): Stage =>
  async () =>
    done.filter((each) => each === 'good').length

function failure(): readonly Stage[] {
  const done: string[] = []
  const graph = failing(done)
  return [
    (saver) =>
      graph(saver)
        .invoke({ log: [] }, config)
        .catch((error: unknown) => String(error)),
    (saver) => graph(saver).invoke(null, config),
    goodRuns(done),
    history(graph),
  ]
}

const inMode = (durability: 'exit' | 'async' | 'sync'): readonly Stage[] => [
  (saver) => line(saver).invoke({ log: ['one'] }, { ...config, durability }),
  (saver) => line(saver).invoke({ log: ['two'] }, { ...config, durability, interruptBefore: ['c'] }),
  (saver) => line(saver).invoke(null, { ...config, durability }),
  siblings,
  history(line),
]

/** By name, the stages of each. They are made anew for each who tells them. */
export const twins: Readonly<Record<string, () => readonly Stage[]>> = {
  'tools called at once, two of which ask a person': () => [
    async (saver) => textsOf(await toolsAtOnce(saver).invoke({ messages: [] }, config)),
    async (saver) => asked((await toolsAtOnce(saver).getState(config)).tasks),
    (saver) => answerOne(saver, 'yes'),
    (saver) => answerOne(saver, 'no'),
  ],
  'the functional API, with a memory from run to run': () => [
    (saver) => functional(saver).invoke('Lisbon', config),
    (saver) => functional(saver).invoke(new Command({ resume: 'yes' }), config),
    (saver) => functional(saver).invoke('Porto', config),
    (saver) => functional(saver).invoke(new Command({ resume: 'no' }), config),
    async (saver) => (await functional(saver).getState(config)).values,
  ],
  'a subgraph with a memory of its own': () => [
    (saver) => remembering(saver).invoke({ log: ['one'] }, config),
    (saver) => remembering(saver).invoke({ log: ['two'] }, config),
    history(remembering),
  ],
  'a channel that stores what is added': () => [
    (saver) => delta(saver).invoke({ log: ['one'] }, config),
    (saver) => delta(saver).invoke({ log: ['two'] }, { ...config, interruptBefore: ['b'] }),
    (saver) => delta(saver).invoke(null, config),
    async (saver) => (await delta(saver).getState(config)).values,
    history(delta),
  ],
  'a node that fails beside one that does not': failure,
  'commands that say where to go': () => [
    (saver) => going(saver).invoke({ log: [] }, config),
    (saver) => going(saver).invoke(null, config),
    history(going),
  ],
  'a thread that is deleted, and begun again': () => [
    (saver) => line(saver).invoke({ log: ['one'] }, config),
    (saver) => saver.deleteThread('twin'),
    async (saver) => (await line(saver).getState(config)).values,
    (saver) => line(saver).invoke({ log: ['two'] }, config),
    history(line),
  ],
  'branches of one checkpoint, each step stored before the next': () => inMode('sync'),
  'branches of one checkpoint, stored beside the next step': () => inMode('async'),
  'branches of one checkpoint, stored at the end': () => inMode('exit'),
}
