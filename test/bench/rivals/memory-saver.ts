import { emptyCheckpoint, MemorySaver, type CheckpointTuple } from '@langchain/langgraph-checkpoint'
import type { AgentState } from '../agent-loop.ts'
import type { Contender, Step } from '../page/contender.ts'

/** As a graph calls it: the whole state in one channel of a checkpoint. */
export function make(): Contender {
  const saver = new MemorySaver()
  /** Ids in the order of their seqs. */
  const ids = new Map<string, string[]>()
  const put = async ({ thread, seq, state }: Omit<Step, 'change'>): Promise<void> => {
    const known = ids.get(thread) ?? []
    ids.set(thread, known)
    const checkpoint = { ...emptyCheckpoint(), id: String(seq).padStart(12, '0'), channel_values: { state } }
    const before = known.at(-1)
    const configurable = {
      thread_id: thread,
      checkpoint_ns: '',
      ...(before ? { checkpoint_id: before } : {}),
    }
    await saver.put({ configurable }, checkpoint, { source: 'loop', step: seq, parents: {} })
    known.push(checkpoint.id)
  }
  const get = (thread: string, at?: number): Promise<CheckpointTuple | undefined> => {
    const id = at === undefined ? {} : { checkpoint_id: String(at).padStart(12, '0') }
    return saver.getTuple({ configurable: { thread_id: thread, checkpoint_ns: '', ...id } })
  }
  const stateOf = (tuple: CheckpointTuple | undefined) =>
    tuple?.checkpoint.channel_values['state'] as AgentState | undefined
  return {
    open: async () => {},
    save: put,
    load: async (thread) => stateOf(await get(thread)),
    async page(thread, most) {
      let found = 0
      for await (const _ of saver.list({ configurable: { thread_id: thread } }, { limit: most })) found++
      return found
    },
    async fork(thread, at, as) {
      const state = stateOf(await get(thread, at))
      if (!state) throw new Error(`${thread} has no checkpoint`)
      await put({ thread: as, seq: at ?? ids.get(thread)?.length ?? 0, state })
    },
    close: async () => {},
  }
}
