import type { Checkpoint, CheckpointInfo } from '../../checkpoint.ts'
import type { Thread } from '../../checkpointer/thread.ts'
import { marksOf, type Marks } from './form.ts'

/** What is to be shown again, and how it is marked. */
export interface Turn {
  readonly source: 'undo' | 'redo'
  readonly to: Checkpoint
  readonly marks: Marks
}

/** An undo goes one back from what the head shows, and remembers where it came from. */
export async function undone(thread: Thread, head: Checkpoint): Promise<Turn | undefined> {
  const { at } = marksOf(head)
  const shown = at === undefined ? head : await thread.load(at)
  const to = shown?.parentId === undefined ? undefined : await thread.load(shown.parentId)
  return to && { source: 'undo', to, marks: { ...shownAgain(to), redo: head.id } }
}

/** A redo goes where the undo came from; from there it may go on to where the undo before that came from. */
export async function redone(thread: Thread, head: Checkpoint): Promise<Turn | undefined> {
  const { redo } = marksOf(head)
  const to = redo === undefined ? undefined : await thread.load(redo)
  if (!to) return undefined
  const { redo: next } = marksOf(to)
  return { source: 'redo', to, marks: { ...shownAgain(to), ...(next === undefined ? {} : { redo: next }) } }
}

/** As it is marked itself, but for where a redo of its own would go. */
function shownAgain(to: CheckpointInfo): Marks {
  const { as, texts, at = to.id } = marksOf(to)
  return { ...(as ? { as } : {}), ...(texts ? { texts } : {}), at }
}
