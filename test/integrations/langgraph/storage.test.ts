import 'fake-indexeddb/auto'
import { MemorySaver } from '@langchain/langgraph'
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint'
import { openCheckpointer } from 'forkpoint'
import { ForkpointSaver } from 'forkpoint/langgraph'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it, onTestFinished } from 'vitest'
import { storageLaw } from '../../support/langgraph-storage.ts'
import { question, toolGraph } from '../../support/tool-graph.ts'

const config = { configurable: { thread_id: 'long' } }

storageLaw('memory', () => openCheckpointer({ name: 'storage', storage: memoryStorage() }))
storageLaw('fake-indexeddb', () => openCheckpointer({ name: 'storage', worker: false }))

/** All that the history tells, with what each task has yielded; but for ids, which are drawn. */
async function historyOf(saver: BaseCheckpointSaver): Promise<string> {
  const graph = toolGraph(saver, 10)
  const history: unknown[] = []
  for await (const { values, next, metadata, tasks } of graph.getStateHistory(config))
    history.push({ values, next, metadata, tasks: tasks.map(({ name, result }) => [name, result]) })
  return JSON.stringify(history, (key, value: unknown) => (key === 'id' ? undefined : value))
}

it('what a step has yielded is told as MemorySaver tells it, though its text is stored but once', async () => {
  const checkpointer = await openCheckpointer({ name: 'once', storage: memoryStorage() })
  onTestFinished(() => checkpointer.close())
  const savers = [new ForkpointSaver(checkpointer), new MemorySaver()]
  for (const saver of savers) await toolGraph(saver, 10).invoke({ messages: [question] }, config)
  const [ours, theirs] = await Promise.all(savers.map(historyOf))
  expect(ours).toContain('Number 9 was moved')
  expect(ours).toBe(theirs)
  const words: string[] = []
  for await (const { id } of checkpointer.thread('long').history())
    words.push(JSON.stringify((await checkpointer.thread('long').load({ id }))?.pendingWrites))
  expect(words.join()).not.toContain('was moved')
})
