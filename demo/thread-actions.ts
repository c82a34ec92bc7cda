/** What can be done to a thread as a whole. Each says what it did. */
import type { AgentThread } from './agent.ts'
import { newName } from './names.ts'
import { confirmed } from './view/confirm.ts'
import { say } from './view/status.ts'

const KEPT = 5

/** Forks at a checkpoint, with another last message if one is given. Resolves to the fork's name. */
export async function forkThread(thread: AgentThread, at: number, text: string | undefined): Promise<string> {
  const as = newName()
  await thread.fork({
    at,
    as,
    ...(text === undefined
      ? {}
      : {
          edit: (state) => {
            const last = state.messages.at(-1)
            if (!last) return
            return { ...state, messages: [...state.messages.slice(0, -1), { ...last, text }] }
          },
        }),
  })
  const change = text === undefined ? '' : ', with another last message'
  say(`Forked ${thread.id} at seq ${at}${change}. Run goes on from there.`)
  return as
}

/** Tells first what would go, by a dry run; prunes when that is wanted. */
export async function pruneThread(thread: AgentThread): Promise<void> {
  const plan = await thread.prune({ keepLast: KEPT, dryRun: true })
  if (plan.removed.length === 0) return say(`There is nothing to prune: ${plan.kept} checkpoints are there.`)
  const many = few(plan.removed.length)
  const question = `Would remove ${many} and keep ${plan.kept}. ${freed(plan.bytes, 'Frees')}`
  if (!(await confirmed(question, `Prune ${many}`))) return say('Nothing was pruned.')
  const { removed, bytes, kept } = await thread.prune({ keepLast: KEPT })
  say(`Pruned ${few(removed.length)}, kept ${kept}. ${freed(bytes, 'Freed')}`)
}

/** Resolves to whether it was deleted. */
export async function removeThread(thread: AgentThread): Promise<boolean> {
  const isWanted = await confirmed(`Delete ${thread.id} with all its checkpoints? Its forks stay.`, 'Delete')
  if (!isWanted) return false
  const wasThere = await thread.delete()
  say(wasThere ? `Deleted ${thread.id}.` : `${thread.id} was gone already.`)
  return true
}

const few = (count: number): string => (count === 1 ? '1 checkpoint' : `${count} checkpoints`)

const freed = (bytes: number, verb: string): string =>
  bytes === 0 ? `${verb} nothing that a fork still shows.` : `${verb} ${bytes.toLocaleString()} bytes.`
