import { CheckpointerError } from '../../errors.ts'
import type { Host } from '../../operations/host.ts'
import {
  holds,
  is,
  isCount,
  isId,
  isList,
  isNamespace,
  isSeq,
  isShort,
  isText,
  MOST_LIST,
  type Is,
} from '../../operations/shapes/shape.ts'

const isNamed = holds({ id: isId })
const isPlace = holds({
  namespace: isNamespace,
  lane: isShort,
  next: isSeq,
  heads: isList(isNamed, MOST_LIST),
})
const isNext = holds({ thread: isId })
/** Of what is given, all else is looked at by the store that takes it. */
const ROW = { info: holds({ id: isId, seq: isSeq }) }
const isRow = holds(ROW)
/** It stands on no other. */
const isWholeRow = holds({ ...ROW, base: is(undefined) }, ['base'])

/** What a sync asks of another store. */
export type Asked = Pick<
  Host,
  | 'fork'
  | 'syncList'
  | 'syncAsk'
  | 'syncHave'
  | 'syncWant'
  | 'syncGive'
  | 'syncTake'
  | 'syncGone'
  | 'syncForget'
>

type Replies = {
  readonly [V in keyof Asked]: (request: Parameters<Host[V]>[0]) => Is
}

const listed = holds({ thread: isId, store: isShort, stamp: isText })
const asked = holds({ store: isShort, places: isList(isPlace), gone: isList(isText), stamp: isText }, [
  'stamp',
])

/** What each answer must be, and that each leads on: nothing here goes round for ever. */
const REPLIES: Replies = {
  // It is asked about anew.
  fork: () => () => true,
  syncList: ({ after }) => {
    const page = holds({ items: isList(listed, MOST_LIST), next: isNext }, ['next'])
    return (reply) => page(reply) && !(after && isSame(reply.next, after))
  },
  syncAsk: () => asked,
  syncHave: ({ after, before, limit }) =>
    holds(
      {
        // A page of pending writes may end with twice as many.
        names: isList(holds({ seq: isBetween(after + 1, before - 1), id: isText }), limit * 2),
        last: isBetween(after + 1, before - 1),
        damaged: isList(isSeq),
      },
      ['damaged'],
    ),
  syncWant: ({ names }) => {
    const isIndex = isBetween(0, names.length - 1)
    const indexes = isList(isIndex, names.length)
    return holds({ wanted: indexes, taken: indexes, place: isPlace }, ['place'])
  },
  syncGive: ({ seqs, states }) =>
    holds({
      rows: isList(states === 'whole' ? isWholeRow : isRow, seqs.length),
      passed: isBetween(0, seqs.length),
      damaged: isList(isSeq),
    }),
  syncTake: ({ rows }) =>
    holds(
      {
        taken: isBetween(0, rows.length),
        added: isCount,
        from: isSeq,
        next: isSeq,
        lane: isShort,
        heads: isList(isId, MOST_LIST),
        damaged: isList(isSeq),
      },
      ['damaged'],
    ),
  syncGone: () => isList(holds({ name: isText, saves: isList(isNamed) })),
  syncForget: () => isCount,
}

const isBetween =
  (least: number, most: number): Is =>
  (value) =>
    Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most

const isSame = (next: unknown, after: { readonly thread: string; readonly rank?: number }): boolean => {
  const { thread, rank } = (next ?? {}) as { thread?: unknown; rank?: unknown }
  return thread === after.thread && rank === after.rank
}

/** Another store, which may be anyone's: what it answers is looked at before anything is done with it. */
export function heeded(host: Asked): Asked {
  const checked = Object.entries(REPLIES).map(([verb, replyTo]) => {
    const ask = (host[verb as keyof Asked] as (request: unknown) => Promise<unknown>).bind(host)
    return [verb, async (request: never) => believed(verb, replyTo(request), await ask(request))] as const
  })
  return Object.fromEntries(checked) as unknown as Asked
}

function believed(verb: string, isReply: Is, reply: unknown): unknown {
  if (isReply(reply)) return reply
  throw new CheckpointerError(
    'FAILED',
    `The other store has answered ${verb} as no store of this package does. It may be of another version: update both.`,
  )
}
