import type { Checkpointer } from '../../checkpointer/checkpointer.ts'
import type { Thread } from '../../checkpointer/thread.ts'
import { CheckpointerError } from '../../errors.ts'

/** For callers without types: most often it is the promise of one, as nobody has awaited it. */
export function needCheckpointer(checkpointer: Checkpointer): Checkpointer {
  if (hasMethod(checkpointer, 'thread')) return checkpointer
  throw invalid('checkpointer', 'an open checkpointer: await openCheckpointer({ name })')
}

export function needThread<State>(thread: Thread<State>): Thread<State> {
  if (hasMethod(thread, 'save')) return thread
  throw invalid('thread', "a thread of a checkpointer: checkpointer.thread('my-thread')")
}

/** One id alone would be taken for a list of its characters. */
export function needList(path: string, ids: readonly string[]): readonly string[] {
  if (Array.isArray(ids)) return ids
  throw invalid(path, 'a list of ids')
}

/** What checks options is loaded when a checkpointer is opened, and not with a door. */
export const invalid = (path: string, wanted: string): CheckpointerError =>
  new CheckpointerError('INVALID', `${path} must be ${wanted}.`, { path })

const hasMethod = (value: unknown, name: string): boolean =>
  typeof value === 'object' && value !== null && typeof Reflect.get(value, name) === 'function'
