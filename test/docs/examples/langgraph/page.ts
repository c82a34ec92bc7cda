import { Annotation, END, START, StateGraph } from '@langchain/langgraph/web'
import { openCheckpointer } from 'forkpoint'
import { ForkpointSaver } from 'forkpoint/langgraph'

const State = Annotation.Root({
  city: Annotation<string>,
  log: Annotation<string[]>({ reducer: (log, more) => [...log, ...more], default: () => [] }),
})

/** What a page does when it is loaded, and loaded again: it goes on with the trip that waits, or begins one. */
export async function page(city: string): Promise<string> {
  const checkpointer = await openCheckpointer({ name: 'my-graph' })
  const graph = new StateGraph(State)
    .addNode('search', (trip) => ({ log: [`flights to ${trip.city}`] }))
    .addNode('book', (trip) => ({ log: [`booked ${trip.city}`] }))
    .addEdge(START, 'search')
    .addEdge('search', 'book')
    .addEdge('book', END)
    .compile({ checkpointer: new ForkpointSaver(checkpointer), interruptBefore: ['book'] })
  const config = { configurable: { thread_id: 'trip' } }
  const { next } = await graph.getState(config)
  const { log } = await graph.invoke(next.length > 0 ? null : { city }, config)
  await checkpointer.close()
  return log.join(', ')
}
