/** How much a checkpointer hears of what others do. */
export interface Hearing {
  /** All of it, but see `onGap`. */
  readonly hearsAll: boolean
  /** Tells that something may not have been heard; gives what stops it. */
  readonly onGap: (listener: () => void) => () => void
}

/** Not among its methods: only those need to know who keep in step with it, or serve it to others. */
const known = new WeakMap<object, Hearing>()

export const hearsAs = (checkpointer: object, hearing: Hearing): void => void known.set(checkpointer, hearing)

/** Nothing of one that is not from here. */
export const hearingOf = (checkpointer: object): Hearing =>
  known.get(checkpointer) ?? { hearsAll: false, onGap: () => () => {} }
