import type { Checkpointer } from 'forkpoint'
import type { Account } from './accounts.ts'

/** Of each thread the head stays: what is shown. Its earlier steps and other branches go. */
export async function dropOldSteps(checkpointer: Checkpointer): Promise<Account> {
  let removed = 0
  for await (const { id } of checkpointer.threads())
    removed += (await checkpointer.thread(id).prune({ keepLast: 1 })).removed.length
  return {
    tone: 'news',
    text:
      removed === 0
        ? 'There were no old steps to drop. Delete a conversation that you no longer need.'
        : `${removed} old steps were dropped. Every conversation is as it was shown; only the way back is shorter.`,
    offer: 'retry',
  }
}
