import type { CopyRequest, Host, OfThread, Place } from '../../operations/host.ts'
import { mapHost, type Verb } from '../../operations/verbs.ts'
import type { SaveQueue } from './save-queue.ts'

interface First {
  /** What must be written: of the place, or all. */
  readonly of: 'place' | 'all'
  /** Only then can it be carried out; all else goes on though it cannot be written. */
  readonly isNeeded: boolean
}

/** These show what was saved before them. */
const AFTER: Partial<Record<Verb, First>> = {
  load: { of: 'place', isNeeded: true },
  history: { of: 'place', isNeeded: true },
  heads: { of: 'place', isNeeded: true },
  readWrites: { of: 'place', isNeeded: true },
  putWrites: { of: 'place', isNeeded: true },
  // They are no longer needed because of a save: that comes first.
  dropWrites: { of: 'place', isNeeded: true },
  threads: { of: 'all', isNeeded: true },
  namespaces: { of: 'all', isNeeded: true },
  runs: { of: 'all', isNeeded: true },
  exportPage: { of: 'all', isNeeded: true },
  importPage: { of: 'all', isNeeded: false },
  usage: { of: 'all', isNeeded: false },
  verify: { of: 'all', isNeeded: false },
}
/** These come between the saves before and after them, to the thread that they are about. */
const BETWEEN: readonly Verb[] = [
  'fork',
  'copy',
  'prune',
  'deleteThread',
  'deleteCheckpoints',
  'deleteRun',
  'chooseHead',
  'syncTake',
  'syncForget',
]
/** Of these, what needs the saves before it; the others make room. */
const NEEDS: readonly Verb[] = ['fork', 'copy', 'chooseHead']

/** The host, as one sees it who saves through a queue. */
export function behindQueue(host: Host, queue: SaveQueue): Host {
  return mapHost(host, (run, verb) => {
    const first = AFTER[verb]
    if (first)
      return async (request = {}) => {
        const written = queue.written(aboutOf(first, request as Partial<Place>))
        await (first.isNeeded ? written : written.catch(() => undefined))
        return run(request)
      }
    if (BETWEEN.includes(verb))
      return (request) =>
        queue.between((request as OfThread).thread, () => run(request), {
          isNeeded: NEEDS.includes(verb),
          isGone: verb === 'deleteThread',
          as: (request as Partial<CopyRequest>).as,
        })
    return run
  })
}

function aboutOf({ of }: First, request: Partial<Place>): Partial<Place> {
  const { thread, namespace } = request
  return of === 'all' || thread === undefined || namespace === undefined ? {} : { thread, namespace }
}
