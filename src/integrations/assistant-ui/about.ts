import type { RemoteThreadListAdapter } from '@assistant-ui/react'
import type { ThreadSummary } from '../../checkpoint.ts'
import type { Checkpointer } from '../../checkpointer/checkpointer.ts'
import type { Thread } from '../../checkpointer/thread.ts'
import { changeHead } from '../shared/change-head.ts'
import { WORKFLOW } from './stored.ts'

type Metadata = Awaited<ReturnType<RemoteThreadListAdapter['fetch']>>

/** What a list of threads shows of one; in a namespace of the thread, so that it goes where the thread goes. */
export interface About {
  readonly status: Metadata['status']
  readonly title?: string
  readonly custom?: Readonly<Record<string, unknown>>
}

const NEW: About = { status: 'regular' }

/** The namespace of it. */
export const ABOUT = 'assistant-ui'

const aboutOf = (checkpointer: Checkpointer, id: string): Thread<About> =>
  checkpointer.thread<About>(id, { namespace: ABOUT })

/** A thread as the list shows it; `undefined` for one that is not of assistant-ui. */
export async function metadataOf(
  checkpointer: Checkpointer,
  { id, head }: Pick<ThreadSummary, 'id' | 'head'>,
): Promise<Metadata | undefined> {
  const stored = (await aboutOf(checkpointer, id).load())?.state
  // One that came without a list has no more than its messages.
  if (!stored && head?.workflow !== WORKFLOW) return undefined
  const { status, title, custom } = stored ?? NEW
  return {
    remoteId: id,
    status,
    ...(title === undefined ? {} : { title }),
    ...(custom === undefined ? {} : { custom }),
    ...(head ? { lastMessageAt: head.createdAt } : {}),
  }
}

/** Nothing is written when nothing changes. */
export async function changeAbout(
  checkpointer: Checkpointer,
  id: string,
  node: string,
  change: (about: About) => About,
): Promise<void> {
  const fields = { node, workflow: WORKFLOW }
  await changeHead(aboutOf(checkpointer, id), fields, (about) => change(about ?? NEW))
}
