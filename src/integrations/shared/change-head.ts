import type { CheckpointFields } from '../../checkpoint.ts'
import type { Thread } from '../../checkpointer/thread.ts'
import { CheckpointerError } from '../../errors.ts'

/** Each that fails means that another writer, in another tab, has got through. */
const TRIES = 100

/**
 * Saves what `change` makes of the latest state, unless it gives `undefined`: then there is nothing to save. When another
 * tab has saved in between, it is called again with that state.
 */
export async function changeHead<State>(
  thread: Thread<State>,
  fields: CheckpointFields,
  change: (state: State | undefined) => State | undefined,
): Promise<void> {
  for (let tried = 1; ; tried++) {
    const head = await thread.load()
    const next = change(head?.state)
    if (next === undefined) return
    try {
      await thread.save(next, { ...fields, expect: head?.id ?? null })
      return
    } catch (error) {
      if (tried === TRIES || !CheckpointerError.is(error, 'CONFLICT')) throw error
    }
  }
}
