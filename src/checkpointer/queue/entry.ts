import type { SaveRequest, StoredInfo } from '../../operations/host.ts'
import { diff } from '../../state/diff.ts'
import { toBytes } from '../../state/json-bytes.ts'
import { withoutUndefined } from '../options/without-undefined.ts'
import type { KnownState } from '../states/known-states.ts'
import type { CapturedSave } from '../saving/writer.ts'

/** A save that waits to be written. */
export interface Entry {
  /** They ascend; one that took the place of another has its number, and whoever waits for that waits for this. */
  readonly number: number
  readonly request: SaveRequest
  readonly state: CapturedSave['state']
  /** What its delta starts from: stored already, or ahead of it in the queue. */
  readonly start: KnownState | undefined
  /** What it will be called in the store; never rejects unobserved. */
  readonly answer: Promise<StoredInfo>
  readonly resolve: (info: StoredInfo) => void
  readonly reject: (error: unknown) => void
  /** The delta or state that is to be sent; made when it is sent if it is absent. */
  frame: SaveRequest['frame'] | undefined
  /** The seq that the caller was told: from then on the save is taken, and its failure is no rejection. */
  promised?: number
  isSent: boolean
  /** It was sent before, and may have been stored. */
  isRetry: boolean
}

/** `named` gives a seq or an id as the store is to be asked for it. */
export function newEntry(
  { request: { parent, expect, ...given }, state, start }: CapturedSave,
  number: number,
  named: <Ref>(ref: Ref) => Ref | string,
): Entry {
  const request = { ...given, ...withoutUndefined({ parent: named(parent), expect: named(expect) }) }
  let resolve: Entry['resolve'] = () => {}
  let reject: Entry['reject'] = () => {}
  const answer = new Promise<StoredInfo>((yes, no) => {
    resolve = yes
    reject = no
  })
  answer.catch(() => undefined)
  const { frame, retry } = request
  return {
    number,
    request,
    state,
    start,
    answer,
    resolve,
    reject,
    frame,
    isSent: false,
    isRetry: retry === true,
  }
}

export const idOf = ({ request: { id, key } }: Entry): string => id ?? key

/** Whether the store may refuse it, so that nothing can be said before the store has spoken. */
export const isConditional = ({ request: { id, parent, expect, lease } }: Entry): boolean =>
  [id, expect, lease].some((each) => each !== undefined) || (parent !== undefined && parent !== null)

/**
 * `later` in place of `entry`, which is never written: what it started from is what `later` starts from, and its caller
 * hears what becomes of `later`.
 */
export function inPlaceOf(entry: Entry, later: Entry): Entry {
  const follows = later.start?.key === entry.request.key
  const { number, start } = entry
  const next = { ...later, number, ...(follows ? { start, frame: undefined } : {}) }
  if (entry.promised === undefined)
    next.answer.then(({ seq, parent }) => entry.resolve(infoOf(entry, seq, parent)), entry.reject)
  return next
}

/** As it travels. The bytes stay here too: it may have to be sent again. */
function messageOf(entry: Entry): SaveRequest {
  entry.frame ??= frameOf(entry)
  return { ...entry.request, frame: entry.frame, ...(entry.isRetry ? { retry: true } : {}) }
}

/** None of them is to be stored unless the one ahead is the head by then. */
export function sentBehind(ahead: Entry | undefined, entries: readonly Entry[]): SaveRequest[] {
  const [first, ...others] = entries.map(messageOf)
  if (!first) return []
  return [ahead && first.expect === undefined ? { ...first, expect: idOf(ahead) } : first, ...others]
}

export const wholeOf = ({ state }: Entry): SaveRequest['frame'] => ({ body: toBytes(state) })

export const sizeOf = ({ frame }: Entry): number => frame?.body.length ?? 0

function frameOf(entry: Entry): SaveRequest['frame'] {
  const { start, state } = entry
  if (!start) return wholeOf(entry)
  return { base: { id: start.id, key: start.key }, body: toBytes(diff(start.state, state)) }
}

/** What will be stored, as far as it can be known here. */
export function infoOf(entry: Entry, seq: number, parent: StoredInfo['parent']): StoredInfo {
  const { request } = entry
  return {
    ...request.fields,
    seq,
    id: idOf(entry),
    ...(request.id === undefined ? {} : { key: request.key }),
    createdAt: request.createdAt,
    ...(parent && request.parent !== null ? { parent } : {}),
  }
}

/** What callers were told is taken, as it can be stored another time: on the save ahead, and never on top of others'. */
export function takenOf(entries: readonly Entry[], head: string | null): SaveRequest[] {
  const saves: SaveRequest[] = []
  for (const entry of entries) {
    if (entry.promised === undefined) break
    saves.push({ ...messageOf(entry), expect: head, retry: true })
    head = idOf(entry)
  }
  return saves
}
