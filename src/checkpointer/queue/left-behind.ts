import { CheckpointerError, type ErrorCode } from '../../errors.ts'
import { checkId } from '../../ids.ts'
import type { Host, SaveManyRequest, SaveRequest } from '../../operations/host.ts'

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
  /** What pages have left, each with what removes it. */
  found(): readonly { readonly lists: readonly SaveManyRequest[]; readonly remove: () => void }[]
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
  const withdraw = (): void => harmless(() => area.removeItem(own))
  return {
    put(lists) {
      // Too much for the place: then the messages alone have to do.
      if (lists.length > 0) harmless(() => area.setItem(own, JSON.stringify(lists.map(asText))))
      else withdraw()
    },
    withdraw,
    found: () =>
      keysOf(area, begins).flatMap((key) => {
        const lists = harmless(() => parsed(area.getItem(key) ?? ''))
        const remove = (): void => harmless(() => area.removeItem(key))
        if (lists) return [{ lists, remove }]
        // Not of ours, or cut short: nobody can make sense of it later either.
        remove()
        return []
      }),
  }
}

const LOST = 'What a page had saved when it was left could not be stored.'

/** Stores what pages have left. What can no longer be stored is told; what could not be, this time, stays. */
export async function storeLeftBehind(
  host: Pick<Host, 'saveMany'>,
  left: LeftBehind,
  onWarning: (warning: CheckpointerError) => void,
): Promise<void> {
  for (const { lists, remove } of left.found()) {
    for (const list of lists) {
      const lost = await storeList(host, list)
      if (lost) onWarning(lost)
    }
    remove()
  }
}

async function storeList(
  host: Pick<Host, 'saveMany'>,
  list: SaveManyRequest,
): Promise<CheckpointerError | undefined> {
  const { thread, namespace, saves } = list
  try {
    const { length } = await host.saveMany(list)
    if (length === saves.length) return undefined
    const message = `${LOST} ${saves.length - length} checkpoints of '${thread}' stood on one that is gone.`
    return new CheckpointerError('DATA_LOSS', message, { thread, namespace })
  } catch (cause) {
    if (!isRefused(cause)) throw cause
    return new CheckpointerError('DATA_LOSS', `${LOST} ${cause.message}`, { thread, namespace, cause })
  }
}

/** No later try would end otherwise. */
const REFUSALS: readonly ErrorCode[] = ['INVALID', 'CONFLICT', 'NOT_FOUND', 'TOO_LARGE', 'CORRUPT']

const isRefused = (error: unknown): error is CheckpointerError =>
  CheckpointerError.is(error) && REFUSALS.includes(error.code)

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
    for (const { key, createdAt, fields, frame } of saves) {
      const isWhole = typeof key === 'string' && Number.isFinite(createdAt) && typeof fields === 'object'
      if (!isWhole || typeof frame.body !== 'string') throw new TypeError('no save')
    }
  }
  return lists.map(asList)
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
