import { openCheckpointer, type Checkpointer } from 'forkpoint'
import type { AgentState } from '../../agent-loop.ts'
import { LISTED, type Contender } from '../contender.ts'

const NAME = 'bench'

/** As the README shows it; the bench has a worker of its own, which counts what it hands to the browser. */
export function forkpoint(worker: (() => Worker) | 'auto' = 'auto'): Contender {
  let checkpointer: Checkpointer
  let behind: Checkpointer | undefined
  return {
    async open() {
      checkpointer = await openCheckpointer({ name: NAME, worker })
    },
    save: ({ thread, state }) => checkpointer.thread<AgentState>(thread).save(state),
    async seed(steps) {
      const open = behind ?? (await openCheckpointer({ name: NAME, worker, durability: 'async' }))
      behind = open
      await Promise.all(steps.map(({ thread, state }) => open.thread<AgentState>(thread).save(state)))
      await open.flush()
    },
    async stream(answer) {
      await checkpointer.thread<AgentState>(answer.thread).run({}, async (loop) => {
        for await (const _ of loop.stream('answer', () => answer.tokens(), { whenCut: 'continue' }));
        loop.state.messages.push(answer.message())
        loop.state.step = answer.seq
      })
    },
    load: async (thread) => (await checkpointer.thread(thread).load())?.state,
    list: () => count(checkpointer.threads({ limit: LISTED })),
    page: (thread, most) => count(checkpointer.thread(thread).history({ limit: most })),
    fork: (thread, at, as) => checkpointer.thread(thread).fork({ as, ...(at === undefined ? {} : { at }) }),
    prune: (thread, keep) => checkpointer.thread(thread).prune({ keepLast: keep }),
    async seeded() {
      await behind?.close()
      behind = undefined
    },
    close: () => checkpointer.close(),
  }
}

async function count(all: AsyncIterable<unknown>): Promise<number> {
  let found = 0
  for await (const _ of all) found++
  return found
}
