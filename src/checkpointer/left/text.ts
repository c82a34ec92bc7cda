import { checkId, checkNamespace } from '../../ids.ts'
import type { SaveManyRequest, SaveRequest } from '../../operations/host.ts'
import { storedThreadRules } from '../removals/retention.ts'

/** What a page leaves. */
export interface Left {
  readonly lists: readonly SaveManyRequest[]
  /** The store's name of the session, when there was one that had acknowledged what was not durable. */
  readonly session?: string | undefined
}

interface SaveText extends Omit<SaveRequest, 'frame'> {
  readonly frame: Omit<SaveRequest['frame'], 'body'> & { readonly body: string }
}
interface ListText extends Omit<SaveManyRequest, 'saves'> {
  readonly saves: readonly SaveText[]
}

export const toText = ({ lists, session }: Left): string =>
  JSON.stringify({ lists: lists.map(asText), session })

/** Bodies are JSON in UTF-8. */
const asText = (list: SaveManyRequest): ListText => ({
  ...list,
  saves: list.saves.map((save) => {
    return { ...save, frame: { ...save.frame, body: new TextDecoder().decode(save.frame.body) } }
  }),
})

/** Any script of the origin can write here: what has not the shape of a list throws, and nothing else is taken. */
export function parsed(text: string): Left {
  const { lists, session } = JSON.parse(text) as { lists: ListText[]; session?: unknown }
  return { lists: lists.map(listFrom), ...(typeof session === 'string' ? { session } : {}) }
}

function listFrom({ thread, namespace, saves }: ListText): SaveManyRequest {
  checkId('A thread id', thread)
  checkNamespace('A namespace', namespace)
  return { thread, namespace, saves: saves.map((save) => saveFrom(thread, namespace, save)) }
}

function saveFrom(thread: string, namespace: string, save: SaveText): SaveRequest {
  const { key, createdAt, fields, frame, parent, expect, retention } = save
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
    // Without it the thread would go by the rules of whoever stores it.
    ...(retention === undefined ? {} : { retention: storedThreadRules(retention) }),
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
