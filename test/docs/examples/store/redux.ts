import type { ForkpointStorage } from 'forkpoint/store'
import type { Store } from 'redux'
import { REHYDRATE } from 'redux-persist'

/** Shows in a store of redux what its item has become by an undo, a redo or another tab; call what it returns to stop. */
export function followStorage(store: Store, storage: ForkpointStorage, key = 'root'): () => void {
  const item = `persist:${key}`
  async function show() {
    const kept = JSON.parse((await storage.getItem<string>(item)) ?? '{}') as Record<string, string>
    const payload = Object.fromEntries(Object.entries(kept).map(([slice, json]) => [slice, JSON.parse(json)]))
    store.dispatch({ type: REHYDRATE, key, payload })
  }
  return storage.subscribe((name) => void (name === item && show()))
}
