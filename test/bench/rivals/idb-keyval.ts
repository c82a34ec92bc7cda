import { get, keys, set, setMany } from 'idb-keyval'
import { LISTED, type Contender } from '../page/contender.ts'

/** What most chat apps do: the whole conversation as one JSON string under its id. */
export function make(): Contender {
  return {
    // The database is opened by the first call.
    open: () => get('nothing'),
    save: ({ thread, state }) => set(thread, JSON.stringify(state)),
    seed: (steps) => setMany(steps.map(({ thread, state }) => [thread, JSON.stringify(state)])),
    async load(thread) {
      const found = await get<string>(thread)
      return found === undefined ? undefined : JSON.parse(found)
    },
    list: async () => (await keys()).slice(0, LISTED).length,
    close: async () => {},
  }
}
