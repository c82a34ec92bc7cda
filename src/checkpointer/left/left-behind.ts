import { parsed, toText, type Left } from './text.ts'

/** What is used of `localStorage`. */
type Area = Pick<Storage, 'length' | 'key' | 'getItem' | 'setItem' | 'removeItem'>

/**
 * What a page that goes could not see stored. Its messages may not reach the worker any more, which ends with it; so
 * they are also put where that can be done at once, and whoever opens the database next stores them. A save that
 * arrived after all is recognised by its key.
 */
export interface LeftBehind {
  /** In place of what was put before. With it, nothing else is owed by the session that had acknowledged it. */
  put(left: Left): void
  /** The page is back, and has its saves still. */
  withdraw(): void
  /** What pages have left. */
  found(): readonly Found[]
  /** Calls back when another page leaves something. Gives what ends that. */
  watch(onLeft: () => void): () => void
}

interface Found extends Left {
  /** Nobody has stored, deleted or put anew any of it meanwhile. */
  readonly isThere: () => boolean
  /** Leaves this in its place, unless the page has put something else there meanwhile. */
  readonly keep: (left: Left) => void
}

/** Nothing where there is no such place: in workers, in Node, in a frame that may not have one. */
export function leftBehind(name: string): LeftBehind | undefined {
  const area = harmless(() => (globalThis as { localStorage?: Area }).localStorage)
  return area && leftIn(area, name)
}

const NOTHING: Left = { lists: [] }

export function leftIn(area: Area, name: string): LeftBehind {
  // JSON, so that no name runs into what follows it.
  const begins = `forkpoint:left:${JSON.stringify(name)}:`
  const own = begins + crypto.getRandomValues(new Uint32Array(2)).join('-')
  const putAt = (key: string, left: Left): void =>
    harmless(() => {
      if (left.lists.length === 0 && left.session === undefined) return area.removeItem(key)
      // Too much for the place: then the messages alone have to do.
      area.setItem(key, toText(left))
    })
  return {
    put: (left) => putAt(own, left),
    withdraw: () => putAt(own, NOTHING),
    found: () =>
      keysOf(area, begins).flatMap((key) => {
        const text = harmless(() => area.getItem(key)) ?? ''
        const left = harmless(() => parsed(text))
        // Not of ours, or cut short: nobody can make sense of it later either.
        if (!left) putAt(key, NOTHING)
        const isThere = (): boolean => harmless(() => area.getItem(key)) === text
        const keep: Found['keep'] = (rest) => {
          if (isThere()) putAt(key, rest)
        }
        return left ? [{ ...left, isThere, keep }] : []
      }),
    watch(onLeft) {
      const page = globalThis as Partial<Pick<Window, 'addEventListener' | 'removeEventListener'>>
      const onStorage = ({ key, newValue }: StorageEvent): void => {
        if (newValue && key?.startsWith(begins)) onLeft()
      }
      page.addEventListener?.('storage', onStorage)
      return () => page.removeEventListener?.('storage', onStorage)
    },
  }
}

const keysOf = (area: Area, begins: string): string[] =>
  Array.from(
    { length: harmless(() => area.length) ?? 0 },
    (_, i) => harmless(() => area.key(i)) ?? '',
  ).filter((key) => key.startsWith(begins))

/** A place that is full, forbidden or gone takes nothing, and that is all. */
function harmless<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
