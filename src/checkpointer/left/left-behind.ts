import { checkId } from '../../ids.ts'
import type { SaveManyRequest, SaveRequest } from '../../operations/host.ts'

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

interface Left {
  readonly lists: readonly SaveManyRequest[]
  /** The store's name of the session, when there was one that had acknowledged what was not durable. */
  readonly session?: string | undefined
}

interface Found extends Left {
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
  const putAt = (key: string, { lists, session }: Left): void =>
    harmless(() => {
      if (lists.length === 0 && session === undefined) return area.removeItem(key)
      // Too much for the place: then the messages alone have to do.
      area.setItem(key, JSON.stringify({ lists: lists.map(asText), session }))
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
        const keep: Found['keep'] = (rest) => {
          if (harmless(() => area.getItem(key)) === text) putAt(key, rest)
        }
        return left ? [{ ...left, keep }] : []
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

/** Any script of the origin can write here: what has not the shape of a list throws, and nothing else is taken. */
function parsed(text: string): Left {
  const { lists, session } = JSON.parse(text) as { lists: ListText[]; session?: unknown }
  return { lists: lists.map(listFrom), ...(typeof session === 'string' ? { session } : {}) }
}

function listFrom({ thread, namespace, saves }: ListText): SaveManyRequest {
  checkId('A thread id', thread)
  checkId('A namespace', namespace, true)
  return { thread, namespace, saves: saves.map((save) => saveFrom(thread, namespace, save)) }
}

function saveFrom(thread: string, namespace: string, save: SaveText): SaveRequest {
  const { key, createdAt, fields, frame, parent, expect } = save
  const { base, body } = frame
  checkId('A key', key)
  const isWhole =
    Number.isFinite(createdAt) &&
    isFields(fields) &&
    (base === undefined || (typeof base.id === 'string' && typeof base.key === 'string')) &&
    (parent === undefined || parent === null) &&
    (expect === null || typeof expect === 'string')
  if (!isWhole) throw new TypeError('no save')
  JSON.parse(body)
  return {
    thread,
    namespace,
    key,
    createdAt,
    fields,
    expect,
    retry: true,
    ...(parent === undefined ? {} : { parent }),
    frame: {
      ...(base ? { base: { id: base.id, key: base.key } } : {}),
      body: new TextEncoder().encode(body),
    },
  }
}

const TEXTS = ['node', 'runId', 'workflow', 'label', 'source']
const LISTS = ['next', 'path']

function isFields(fields: unknown): boolean {
  if (typeof fields !== 'object' || fields === null) return false
  return Object.entries(fields).every(([name, value]: [string, unknown]) => {
    if (TEXTS.includes(name)) return typeof value === 'string'
    if (LISTS.includes(name)) return Array.isArray(value) && value.every((each) => typeof each === 'string')
    if (name === 'extra')
      return Array.isArray(value) && value.every((pair) => Array.isArray(pair) && typeof pair[0] === 'string')
    return name === 'step' && typeof value === 'number'
  })
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
