import type { Put } from '../storage.ts'

/** What the columns that are for people hold. Nothing of this package reads them. */
export interface ForPeople {
  readonly thread_name?: string
  readonly namespace_name?: string
  readonly lanes?: readonly Lane[]
  readonly id_name?: string
  readonly parent?: number
  readonly run?: string
  readonly node?: string
  readonly label?: string
  /** Milliseconds since 1970. */
  readonly created?: number
}

/** A lane that a thread shows, from one seq to another, both included. */
interface Lane {
  readonly lane: string
  readonly first: number
  readonly last?: number
  readonly hide?: unknown
}

/** Reads the facts of a head, whatever they are: a row is put just the same when they are none. */
export function forPeople({ table, key, alias, head }: Put): ForPeople {
  if (table !== 'threads' && table !== 'checkpoints') return {}
  const facts = factsOf(head)
  if (table === 'threads')
    return {
      ...named('thread_name', facts['thread'], key[0]),
      ...named('namespace_name', facts['namespace'], key[1]),
      ...(Array.isArray(facts['segments'])
        ? { lanes: lanesOf(facts['segments'] as readonly unknown[]) }
        : {}),
    }
  const parent = (facts['parent'] as Facts | undefined)?.['seq']
  const created = facts['createdAt']
  return {
    ...named('id_name', facts['id'], alias?.[1]),
    ...(Number.isSafeInteger(parent) ? { parent: parent as number } : {}),
    ...named('run', facts['runId']),
    ...named('node', facts['node']),
    ...named('label', facts['label']),
    ...(isDate(created) ? { created } : {}),
  }
}

type Facts = Readonly<Record<string, unknown>>

/** What a Date can hold, and a timestamp of Postgres can too, which begins in 4714 BC. */
const FIRST_DATE = -210_800_000_000_000
const LAST_DATE = 8.64e15

const isDate = (time: unknown): time is number =>
  typeof time === 'number' && time >= FIRST_DATE && time <= LAST_DATE

function factsOf(head: string): Facts {
  try {
    return (JSON.parse(head.slice(head.indexOf('{'))) ?? {}) as Facts
  } catch {
    return {}
  }
}

/** A text, unless it stands in the key already. */
function named(column: keyof ForPeople, text: unknown, inKey?: unknown): Partial<ForPeople> {
  return typeof text === 'string' && text !== inKey ? { [column]: shown(text) } : {}
}

/** Postgres keeps no NUL, and no half of a surrogate pair. */
const shown = (text: string): string =>
  text.replace(/\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')

function lanesOf(segments: readonly unknown[]): Lane[] {
  let first = 0
  return segments.filter(isFacts).map(({ lane, to, hide }) => {
    const last = Number.isSafeInteger(to) ? (to as number) : undefined
    const shownLane = {
      lane: shown(String(lane)),
      first,
      ...(last === undefined ? {} : { last }),
      ...(Array.isArray(hide) ? { hide } : {}),
    }
    first = (last ?? first) + 1
    return shownLane
  })
}

const isFacts = (value: unknown): value is Facts => typeof value === 'object' && value !== null
