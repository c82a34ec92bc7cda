import { useLayoutEffect, useReducer } from 'preact/hooks'
import type { Store } from '../threads/store.ts'

/** The value of a store, drawn again when it is another. */
export function useStore<Value>(store: Store<Value>): Value {
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  const drawn = store.value
  useLayoutEffect(() => {
    // It may have changed since it was drawn.
    if (store.value !== drawn) redraw(undefined)
    return store.subscribe(() => redraw(undefined))
  }, [store])
  return drawn
}
