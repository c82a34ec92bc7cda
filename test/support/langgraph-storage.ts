import type { Checkpointer } from 'forkpoint'
import { ForkpointSaver } from 'forkpoint/langgraph'
import { expect, it } from 'vitest'
import { question, toolGraph } from './tool-graph.ts'

const STEPS = 500

/** What a graph takes that only adds to its messages, with its whole history. */
export const storageLaw = (name: string, open: () => Promise<Checkpointer>): void =>
  it(`500 steps of a graph that calls tools take less than five times the bytes of their last state, ${name}`, async () => {
    const checkpointer = await open()
    const saver = new ForkpointSaver(checkpointer)
    const config = { configurable: { thread_id: 'long' }, recursionLimit: STEPS + 10 }
    const { messages } = await toolGraph(saver, STEPS / 2).invoke({ messages: [question] }, config)
    expect(messages).toHaveLength(STEPS + 2)
    const tuple = await saver.getTuple(config)
    const [, last] = await saver.serde.dumpsTyped(tuple?.checkpoint.channel_values)
    const { bytes, checkpoints } = await checkpointer.usage()
    expect(checkpoints).toBeGreaterThan(STEPS)
    console.log(`${name}: ${(bytes / last.byteLength).toFixed(2)} times the last state`)
    expect(bytes / last.byteLength).toBeLessThan(5)
    await checkpointer.destroy()
  }, 120_000)
