import type { Checkpointer } from 'forkpoint'
import { ForkpointSaver } from 'forkpoint/langgraph'
import { deltaChannelHistoryTests, specTest } from '@langchain/langgraph-checkpoint-validation'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

// LangGraph's suite takes these from the global object.
Object.assign(globalThis, { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it })

/** All that LangGraph asks of a saver, with what it leaves to those who want it; `open` gives an empty place. */
export function langGraphSuite(name: string, open: () => Promise<Checkpointer>): void {
  const opened = new Map<ForkpointSaver, Checkpointer>()
  const suite = {
    checkpointerName: `ForkpointSaver over ${name}`,
    async createCheckpointer() {
      const checkpointer = await open()
      const saver = new ForkpointSaver(checkpointer)
      opened.set(saver, checkpointer)
      return saver
    },
    async destroyCheckpointer(saver: ForkpointSaver) {
      await opened.get(saver)?.destroy()
      opened.delete(saver)
    },
  }
  specTest(suite)
  deltaChannelHistoryTests(suite)
}
