import type { Checkpointer } from 'forkpoint'
import { ForkpointSaver } from 'forkpoint/langgraph'
import { deltaChannelHistoryTests, specTest } from '@langchain/langgraph-checkpoint-validation'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

// LangGraph's suite takes these from the global object.
Object.assign(globalThis, { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it })

/** As many as the version of the suite has that package.json names. */
const TESTS = 726

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
  let ran = 0
  describe('all of the suite', () => {
    beforeEach(() => void ran++)
    specTest(suite)
    deltaChannelHistoryTests(suite)
  })
  it(`has run ${TESTS} tests of the suite over ${name}, and left none out`, () => expect(ran).toBe(TESTS))
}
