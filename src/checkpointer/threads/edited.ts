import { invalid } from '../options/options.ts'

/** What a caller's `edit` makes of a draft: what it returns, or the draft itself. */
export async function edited<State>(
  draft: State,
  edit: (draft: State) => State | void | Promise<State | void>,
): Promise<State> {
  const returned: unknown = await edit(draft)
  if (returned === undefined) return draft
  // `draft => draft.n++` returns a number: nobody means that to be the state.
  if (typeof returned !== typeof draft || (returned === null && draft !== null))
    throw invalid('edit', 'a whole state, or nothing when it has changed the draft', 'What edit returns')
  return returned as State
}
