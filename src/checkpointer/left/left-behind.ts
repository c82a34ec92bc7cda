import { checkId } from '../../ids.ts'
import { isJsonObject } from '../../state/json.ts'
import type { SaveManyRequest, SaveRequest } from '../../operations/host.ts'

/** What is used of `localStorage`. */
type Area = Pick<Storage, 'length' | 'key' | 'getItem' | 'setItem' | 'removeItem'>

/**
 * What a page that goes could not see stored. Its messages may not reach the worker any more, which ends with it; so
 * they are also put where that can be done at once, and whoever opens the database next stores them. A save that
 * arrived after all is recognised by its key.
 */
export interface LeftBehind {
  /** In place of what was put before. */
  put(lists: readonly SaveManyRequest[]): void
  /** The page is back, and has its saves still. */
  withdraw(): void
  /** What pages have left. */
  found(): readonly Found[]
}

interface Found {
  readonly lists: readonly SaveManyRequest[]
  /** Leaves these in its place, unless the page has put something else there meanwhile. */
  readonly keep: (lists: readonly SaveManyRequest[]) => void
}

/** Nothing where there is no such place: in workers, in Node, in a frame that may not have one. */
export function leftBehind(name: string): LeftBehind | undefined {
  const area = harmless(() => (globalThis as { localStorage?: Area }).localStorage)
  return area && leftIn(area, name)
}

export function leftIn(area: Area, name: string): LeftBehind {
  // JSON, so that no name runs into what follows it.
  const begins = `forkpoint:left:${JSON.stringify(name)}:`
  const own = begins + crypto.getRandomValues(new Uint32Array(2)).join('-')
  const putAt = (key: string, lists: readonly SaveManyRequest[]): void =>
    // Too much for the place: then the messages alone have to do.
    harmless(() =>
      lists.length > 0 ? area.setItem(key, JSON.stringify(lists.map(asText))) : area.removeItem(key),
    )
  return {
    put: (lists) => putAt(own, lists),
    withdraw: () => putAt(own, []),
    found: () =>
      keysOf(area, begins).flatMap((key) => {
        const text = harmless(() => area.getItem(key)) ?? ''
        const lists = harmless(() => parsed(text))
        // Not of ours, or cut short: nobody can make sense of it later either.
        if (!lists) putAt(key, [])
        const keep: Found['keep'] = (left) => {
          if (harmless(() => area.getItem(key)) === text) putAt(key, left)
        }
        return lists ? [{ lists, keep }] : []
      }),
  }
}

interface SaveText extends Omit<SaveRequest, 'frame'> {
  readonly frame: Omit<SaveRequest['frame'], 'body'> & { readonly body: string }
}
interface ListText extends Omit<SaveManyRequest, 'saves'> {
  readonly saves: readonly SaveText[]
}

/** Bodies are JSON in UTF-8. */
const asText = (list: SaveManyRequest): ListText => ({
  ...list,
  saves: list.saves.map((save) => {
    return { ...save, frame: { ...save.frame, body: new TextDecoder().decode(save.frame.body) } }
  }),
})

/** Any script of the origin can write here: what has not the shape of a list throws. */
function parsed(text: string): SaveManyRequest[] {
  const lists = JSON.parse(text) as ListText[]
  for (const { thread, namespace, saves } of lists) {
    checkId('A thread id', thread)
    checkId('A namespace', namespace, true)
    for (const save of saves) if (!isSave(save)) throw new TypeError('no save')
  }
  return lists.map(asList)
}

function isSave({ key, createdAt, fields, frame }: SaveText): boolean {
  const { base, body } = frame
  const isBase = base === undefined || (typeof base.id === 'string' && typeof base.key === 'string')
  return (
    typeof key === 'string' && Number.isFinite(createdAt) && isJsonObject(fields) && isBase && isJson(body)
  )
}

function isJson(text: unknown): boolean {
  return typeof text === 'string' && harmless(() => JSON.parse(text) as unknown) !== undefined
}

const asList = (list: ListText): SaveManyRequest => ({
  ...list,
  saves: list.saves.map((save) => {
    return { ...save, frame: { ...save.frame, body: new TextEncoder().encode(save.frame.body) } }
  }),
})

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
