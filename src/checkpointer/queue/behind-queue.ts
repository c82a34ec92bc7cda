import type { CopyRequest, Host, OfThread, Place } from '../../operations/host.ts'
import { mapHost, type Verb } from '../../operations/verbs.ts'
import type { SaveQueue } from './save-queue.ts'

/** When a verb is carried out, as seen from the saves that wait to be written. */
type When =
  | 'at once'
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

const WHEN: Record<Verb, When> = {
  save: 'at once',
  saveMany: 'at once',
  // A run, and what it has saved, is stored before its caller hears of it.
  head: 'at once',
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
  takeLease: 'at once',
  keepLease: 'at once',
  dropLease: 'at once',
  leaseSign: 'at once',
  threads: AFTER_ALL,
  namespaces: AFTER_ALL,
  runs: AFTER_ALL,
  usage: AFTER_WHAT_GOES,
  verify: AFTER_WHAT_GOES,
  repair: AFTER_WHAT_GOES,
  exportPage: AFTER_ALL,
  importPage: AFTER_WHAT_GOES,
  endCarry: 'at once',
  // Whoever syncs has all of it written first; what comes meanwhile is for the next time.
  syncList: 'at once',
  syncAsk: 'at once',
  syncHave: 'at once',
  syncWant: 'at once',
  syncGive: 'at once',
  syncTake: BETWEEN_WHAT_GOES,
  syncGone: 'at once',
  syncForget: BETWEEN_WHAT_GOES,
  syncRecall: 'at once',
  syncNote: 'at once',
  owe: 'at once',
  settle: 'at once',
  flush: 'at once',
  rest: 'at once',
  reconcile: 'at once',
  recordLoss: 'at once',
  destroy: 'at once',
  close: 'at once',
}

/** The host, as one sees it who saves through a queue. */
export function behindQueue(host: Host, queue: SaveQueue): Host {
  return mapHost(host, (run, verb) => {
    const when = WHEN[verb]
    if (when === 'at once') return run
    const { isNeeded } = when
    if ('after' in when)
      return async (request = {}) => {
        const written = queue.written(when.after === 'all' ? {} : placeIn(request as Partial<Place>))
        await (isNeeded ? written : written.catch(() => undefined))
        return run(request)
      }
    return (request) =>
      queue.between((request as OfThread).thread, () => run(request), {
        isNeeded,
        isGone: verb === 'deleteThread',
        as: (request as Partial<CopyRequest>).as,
      })
  })
}

const placeIn = ({ thread, namespace }: Partial<Place>): Partial<Place> =>
  thread === undefined || namespace === undefined ? {} : { thread, namespace }
