import 'fake-indexeddb/auto'
import { MemorySaver } from '@langchain/langgraph'
import { openCheckpointer } from 'forkpoint'
import { ForkpointSaver } from 'forkpoint/langgraph'
import { describe, expect, it } from 'vitest'
import { twins, type Stage } from '../../support/graph-twins.ts'

let count = 0

/** Each stage is told by a page of its own: all that it knows is what is stored. */
async function told(
  stages: readonly Stage[],
  between?: (saver: ForkpointSaver) => Promise<void>,
): Promise<unknown[]> {
  const name = `twins-${++count}`
  const all: unknown[] = []
  for (const stage of stages) {
    const checkpointer = await openCheckpointer({ name, worker: false })
    const saver = new ForkpointSaver(checkpointer)
    all.push(plain(await stage(saver)))
    await between?.(saver)
    await checkpointer.close()
  }
  return all
}

async function toldInMemory(stages: readonly Stage[]): Promise<unknown[]> {
  const saver = new MemorySaver()
  const all: unknown[] = []
  for (const stage of stages) all.push(plain(await stage(saver)))
  return all
}

/** Without what is drawn anew each time. */
const plain = (value: unknown): unknown =>
  value === undefined
    ? undefined
    : JSON.parse(JSON.stringify(value, (key, each: unknown) => (key === 'id' ? undefined : each)))

describe('ends as with MemorySaver unreloaded', () => {
  it.each(Object.entries(twins))('%s', async (_name, stages) => {
    const ours = await told(stages())
    expect(ours).toEqual(await toldInMemory(stages()))
  })
})

describe('ends so also with a prune after each stage', () => {
  it.each([
    'tools called at once, two of which ask a person',
    'the functional API, with a memory from run to run',
  ])('%s', async (name) => {
    const stages = twins[name]?.() ?? []
    const ours = await told(stages, (saver) => saver.prune(['twin']))
    expect(ours).toEqual(await toldInMemory(stages))
  })
})
