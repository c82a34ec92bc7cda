/** A page whose graph has tasks side by side, one of which does not end in the page that begins it. */
import { Annotation, END, START, StateGraph } from '@langchain/langgraph/web'
import { openCheckpointer } from 'forkpoint'
import { ForkpointSaver } from 'forkpoint/langgraph'

interface About {
  readonly name: string
  /** The node in which the page goes: it never ends. */
  readonly leavesIn?: 'slow' | 'last'
}

const Log = Annotation.Root({
  log: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
})

/** What nodes have begun in this page, and which of them it waits for. */
export async function play({ name, leavesIn }: About): Promise<unknown> {
  const begun: string[] = []
  const checkpointer = await openCheckpointer({ name, worker: 'auto' })
  const node = (which: string) => async (): Promise<{ log: string[] }> => {
    begun.push(which)
    if (which === leavesIn) await new Promise(() => {})
    return { log: [which] }
  }
  const graph = new StateGraph(Log)
    .addNode('quick', node('quick'))
    .addNode('other', node('other'))
    .addNode('slow', node('slow'))
    .addNode('last', node('last'))
    .addEdge(START, 'quick')
    .addEdge(START, 'other')
    .addEdge(START, 'slow')
    .addEdge(['quick', 'other', 'slow'], 'last')
    .addEdge('last', END)
    .compile({ checkpointer: new ForkpointSaver(checkpointer) })
  const config = { configurable: { thread_id: 'inside' } }
  const { next } = await graph.getState(config)
  const running = graph.invoke(next.length > 0 ? null : { log: ['begun'] }, config)
  if (leavesIn === undefined) return { log: (await running).log, begun: begun.toSorted() }
  running.catch(() => {})
  // The page goes when all that has ended has been stored: the steps before, and the tasks beside it.
  const others = leavesIn === 'slow' ? 2 : 0
  for (let i = 0; i < 500; i++) {
    const pending = (await checkpointer.thread('inside').load())?.pendingWrites ?? []
    const tasks = new Set(pending.map(({ taskId }) => taskId))
    const { next: coming } = await graph.getState(config)
    if (begun.includes(leavesIn) && coming.includes(leavesIn) && tasks.size >= others) break
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return { begun: begun.toSorted() }
}
