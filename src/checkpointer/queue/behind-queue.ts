import type { CopyRequest, Host, LoadReply, LoadRequest, OfThread, Place } from '../../operations/host.ts'
import { mapHost, type Verb } from '../../operations/verbs.ts'
import type { SaveQueue } from './save-queue.ts'

/** When a verb is carried out, as seen from the saves that wait to be written. */
type When =
  /** When those before it are written: of its place, or all. */
  | { readonly after: 'place' | 'all'; readonly isNeeded: boolean }
  /** The same, and before those behind it, to the thread that it is about. */
  | { readonly between: 'thread'; readonly isNeeded: boolean }

// What needs them is refused when they cannot be written; all else goes on, and may make room.
const AFTER_PLACE = { after: 'place', isNeeded: true } as const
const AFTER_ALL = { after: 'all', isNeeded: true } as const
const AFTER_WHAT_GOES = { after: 'all', isNeeded: false } as const
const BETWEEN = { between: 'thread', isNeeded: true } as const
const BETWEEN_WHAT_GOES = { between: 'thread', isNeeded: false } as const

/** Carried out at once. A verb must be named here or below. */
type AtOnce =
  | 'save'
  | 'saveMany'
  // A run, and what it has saved, is stored before its caller hears of it.
  | 'head'
  | 'takeLease'
  | 'keepLease'
  | 'dropLease'
  | 'leaseSign'
  | 'endCarry'
  // Whoever syncs has all of it written first; what comes meanwhile is for the next time.
  | 'syncList'
  | 'syncAsk'
  | 'syncHave'
  | 'syncWant'
  | 'syncGive'
  | 'syncGone'
  | 'syncRecall'
  | 'syncNote'
  | 'owe'
  | 'settle'
  | 'flush'
  | 'rest'
  | 'reconcile'
  | 'recordLoss'
  | 'destroy'
  | 'close'

const WHEN: Record<Exclude<Verb, AtOnce>, When> = {
  load: AFTER_PLACE,
  history: AFTER_PLACE,
  heads: AFTER_PLACE,
  readWrites: AFTER_PLACE,
  putWrites: AFTER_PLACE,
  // They are no longer needed because of a save: that comes first.
  dropWrites: AFTER_PLACE,
  fork: BETWEEN,
  copy: BETWEEN,
  chooseHead: BETWEEN,
  prune: BETWEEN_WHAT_GOES,
  deleteThread: BETWEEN_WHAT_GOES,
  deleteCheckpoints: BETWEEN_WHAT_GOES,
  deleteRun: BETWEEN_WHAT_GOES,
  threads: AFTER_ALL,
  namespaces: AFTER_ALL,
  runs: AFTER_ALL,
  usage: AFTER_WHAT_GOES,
  verify: AFTER_WHAT_GOES,
  repair: AFTER_WHAT_GOES,
  exportPage: AFTER_ALL,
  importPage: AFTER_WHAT_GOES,
  syncTake: BETWEEN_WHAT_GOES,
  syncForget: BETWEEN_WHAT_GOES,
}

/** The host, as one sees it who saves through a queue. */
export function behindQueue(host: Host, queue: SaveQueue): Host {
  return mapHost(host, (run, verb) => {
    const when = (WHEN as Readonly<Partial<Record<Verb, When>>>)[verb]
    if (!when) return run
    const { isNeeded } = when
    if ('after' in when)
      return async (request = {}) => {
        const written = queue.written(when.after === 'all' ? {} : placeIn(request as Partial<Place>))
        await (isNeeded ? written : written.catch(() => undefined))
        const reply = await run(request)
        if (verb === 'load') shownBy(queue, request as LoadRequest, reply as LoadReply | undefined)
        return reply
      }
    return (request) =>
      queue.between((request as OfThread).thread, () => run(request), {
        isNeeded,
        isGone: verb === 'deleteThread',
        as: (request as Partial<CopyRequest>).as,
      })
  })
}

function shownBy(
  queue: SaveQueue,
  { thread, namespace, at }: LoadRequest,
  reply: LoadReply | undefined,
): void {
  if (!at) queue.showsHead({ thread, namespace }, reply?.info.id)
}

const placeIn = ({ thread, namespace }: Partial<Place>): Partial<Place> =>
  thread === undefined || namespace === undefined ? {} : { thread, namespace }
