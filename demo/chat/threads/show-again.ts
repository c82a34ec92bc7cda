import type { Checkpointer } from 'forkpoint'
import type { Chat } from '../agent/chat.ts'
import { SHOWN_AGAIN } from './branches.ts'

/** The head is what is shown, in every tab: so what is not the head is shown by a checkpoint that leads there. */
export async function showAgain(checkpointer: Checkpointer, id: string, seq: number): Promise<void> {
  const thread = checkpointer.thread<Chat>(id)
  const head = await thread.load()
  const wanted = await thread.load(seq)
  if (head && wanted && head.seq !== seq)
    await thread.save(wanted.state, { parent: seq, node: SHOWN_AGAIN, expect: head.seq })
}
