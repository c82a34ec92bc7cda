/** The title of a thread is a namespace of it: it goes where the thread goes, and a list reads it alone. */
import type { Checkpointer, ThreadSummary } from 'forkpoint'
import { isChat } from '../agent/chat.ts'

const NAMESPACE = 'title'
const MOST = 60

interface Titled {
  title: string
}

export async function readTitle(checkpointer: Checkpointer, id: string): Promise<string | undefined> {
  return (await checkpointer.thread<Titled>(id, { namespace: NAMESPACE }).load())?.state.title
}

export async function writeTitle(checkpointer: Checkpointer, id: string, title: string): Promise<void> {
  await checkpointer.thread<Titled>(id, { namespace: NAMESPACE }).save({ title: titleOf(title) })
}

/**
 * What a thread is called that was given no title, as a fork that was made in the inspector: as it was labelled there, as
 * its origin is, or by what was said first.
 */
export async function titleOfUntitled(
  checkpointer: Checkpointer,
  { id, label, forkOf }: ThreadSummary,
): Promise<string> {
  if (label !== undefined && label !== `fork-of:${forkOf?.thread}`) return titleOf(label)
  const origins = forkOf && (await readTitle(checkpointer, forkOf.thread))
  if (origins !== undefined) return origins
  const head = await checkpointer.thread(id).load()
  const first = isChat(head?.state) ? head.state.messages.find(({ role }) => role === 'user') : undefined
  return first ? titleOf(first.text) : id
}

/** Of what was said first: a line of it. */
export function titleOf(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ')
  return line.length <= MOST ? line : `${line.slice(0, MOST - 1).trimEnd()}…`
}
