import { CheckpointerError } from '../errors.ts'
import type {
  ExportPageRequest,
  Host,
  ImportPageRequest,
  SyncAskReply,
  ThreadsRequest,
} from '../operations/host.ts'
import { areSound } from '../operations/shapes/bodies.ts'
import { callOf, VERBS, type Verb } from '../operations/verbs.ts'
import { Flushes } from '../platform/flushes.ts'
import { bodiesIn } from './bodies.ts'
import { listed, type ListPage } from './listed.ts'
import { withoutOrigins } from './origins.ts'
import { isRequest } from './requests.ts'
import { touchedBy } from './touched.ts'

/** Whether a call may be made: `thread` is one that it touches, absent when it touches the whole store. */
export type Allow = (verb: Verb, thread: string | undefined) => boolean | PromiseLike<boolean>

/** What belongs to the side that serves, whoever asks: its own sessions, and its end. */
const OURS: ReadonlySet<Verb> = new Set<Verb>([
  'owe',
  'settle',
  'reconcile',
  'recordLoss',
  'rest',
  'close',
  'destroy',
])
/** So many exports are under way at most: each holds what it reads. */
const MOST_EXPORTS = 256
/** And so many that begin with the same thread: who may export one thread keeps nobody else from it. */
const MOST_ALIKE = 16
/** One of which nobody has asked for a page for so many milliseconds makes room for others, when there is no more. */
const LEFT_AFTER = 60_000
/** What an import from elsewhere may take here at most, whatever it asks for. */
const IMPORT = { bytes: 2 ** 30, ratio: 100, lines: 5_000_000 }

interface Begun {
  readonly request: ExportPageRequest
  /** When its last page was asked for. */
  at: number
}

/**
 * A host as strangers may use it: every request is looked at to its last field before anything is done, and nothing
 * is read or written of a thread that they are not allowed.
 */
export class GuardedHost {
  readonly #host: Host
  /** What each export under way was begun with: the pages that follow name nothing. */
  readonly #exports = new Map<string, Begun>()
  /**
   * Whether there may be something to flush. Nobody is asked about that, as it touches no thread: so it writes only
   * where somebody was let write. What an instance before this one has left is not known, nor what one beside it was
   * given: of our storages only IndexedDB, which has one for all, leaves anything behind.
   */
  readonly #flushes: Flushes

  constructor(host: Host) {
    this.#host = host
    this.#flushes = new Flushes(() => host.flush(), true)
  }

  async call(verb: unknown, request: unknown, allow: Allow): Promise<unknown> {
    return (await this.admit(verb, request, allow))()
  }

  /** Looks at a call and asks whether it is allowed; what it gives makes it. */
  async admit(verb: unknown, request: unknown, allow: Allow): Promise<() => Promise<unknown>> {
    if (!isVerb(verb) || OURS.has(verb))
      throw new CheckpointerError('UNSUPPORTED', 'There is no such verb for callers from elsewhere.')
    if (!isRequest(verb, request))
      throw new CheckpointerError('INVALID', `This is no request that ${verb} can have.`)
    const [as, about] = this.#begun(verb, request)
    const touched = touchedBy(as, about)
    if ('threads' in touched) {
      for (const [i, thread] of touched.threads.entries())
        await this.#refuseUnless(allow, as, thread, (verb === 'fork' || verb === 'copy') && i > 0)
    } else if (touched.kind === 'store') await this.#refuseUnless(allow, verb, undefined)
    else if (touched.kind === 'listed') {
      const page = callOf(this.#host, verb) as ListPage
      return () => listed(page, request as ThreadsRequest, (thread) => allow(verb, thread))
    }
    // Not before it is allowed: it takes the longer the more there is.
    if (!(await areSound(bodiesIn(verb, request))))
      throw new CheckpointerError('INVALID', 'What is to be stored is no state, nor a change of one.', {
        outcome: 'none',
      })
    if (verb === 'syncAsk' || verb === 'syncWant')
      return async () =>
        withoutOrigins((await this.#run(verb, request)) as SyncAskReply, (thread) => allow(verb, thread))
    if (verb === 'exportPage' && (request as ExportPageRequest).page === 0) {
      const known = await this.#withOrigins(request as ExportPageRequest, (thread) => allow(verb, thread))
      return () => this.#run(verb, known)
    }
    return () => this.#run(verb, request)
  }

  async #refuseUnless(allow: Allow, verb: Verb, thread: string | undefined, isMade = false): Promise<void> {
    if ((await allow(verb, thread)) === true) return
    const made = 'the thread that it makes, which can be named with `as`,'
    const of = thread === undefined ? 'the whole store' : isMade ? made : 'this thread'
    throw new CheckpointerError('FORBIDDEN', `${verb} of ${of} is not allowed to this caller.`, {
      ...(thread === undefined ? {} : { thread }),
      outcome: 'none',
    })
  }

  /** As which call this one is to be allowed: what goes on with an export, or ends it, as what began it. */
  #begun(verb: Verb, request: unknown): readonly [Verb, unknown] {
    if (verb !== 'exportPage' && verb !== 'endCarry') return [verb, request]
    const begun = this.#exports.get((request as { readonly id: string }).id)
    if (verb === 'endCarry') return begun ? ['exportPage', begun.request] : [verb, request]
    if ((request as ExportPageRequest).page === 0) return [verb, request]
    // Nobody is asked about it: what it was begun with is not known any more.
    if (!begun)
      throw new CheckpointerError('FAILED', 'The export was cut off. Start it again.', { outcome: 'none' })
    return [verb, begun.request]
  }

  /** Who may read a fork may not know of its origin. */
  async #withOrigins(
    request: ExportPageRequest,
    allow: (thread: string) => boolean | PromiseLike<boolean>,
  ): Promise<ExportPageRequest> {
    if (!request.ids) return request
    const ids = [...new Set(request.ids)]
    const all = new Set<string>()
    for (const thread of ids) {
      const origin = await this.#originOf(thread)
      if (origin !== undefined) all.add(origin)
    }
    const origins: string[] = []
    for (const origin of all) if ((await allow(origin)) === true) origins.push(origin)
    return { ...request, ids, origins }
  }

  /** Of a thread whose row cannot be read nothing is told: whether that may be, the export decides. */
  async #originOf(thread: string): Promise<string | undefined> {
    try {
      const asked = { thread, namespace: '', names: [], withPlace: true }
      return (await this.#host.syncWant(asked)).place?.forkOf?.thread
    } catch (error) {
      if (CheckpointerError.is(error, 'CORRUPT') || CheckpointerError.is(error, 'FORMAT_TOO_NEW'))
        return undefined
      throw error
    }
  }

  async #run(verb: Verb, request: unknown): Promise<unknown> {
    if (verb === 'importPage') return this.#host.importPage(bounded(request as ImportPageRequest))
    if (verb === 'exportPage') return this.#export(request as ExportPageRequest)
    if (verb === 'endCarry') this.#exports.delete((request as { id: string }).id)
    if (verb === 'flush') return this.#flushes.flush()
    try {
      return await callOf(this.#host, verb)(request)
    } finally {
      if ((request as { readonly relaxed?: boolean } | undefined)?.relaxed === true) this.#flushes.wrote()
    }
  }

  #begin(id: string, request: ExportPageRequest): void {
    const { ids } = request
    this.#makeRoom(MOST_EXPORTS, () => true)
    // Who may export the whole store may have as many as there are.
    if (ids) this.#makeRoom(MOST_ALIKE, (begun) => begun.ids !== undefined && begun.ids[0] === ids[0])
    this.#exports.set(id, { request, at: performance.now() })
  }

  /** For one more than these. Nobody's export makes way for that of another, unless it was left. */
  #makeRoom(most: number, isOfThese: (request: ExportPageRequest) => boolean): void {
    const these = (): [string, Begun][] => [...this.#exports].filter(([, { request }]) => isOfThese(request))
    if (these().length >= most) this.#endLeft(these())
    if (these().length >= most)
      throw new CheckpointerError(
        'BLOCKED',
        `${most} exports are under way, which is as many as there may be. Try again when some of them have ended.`,
        { outcome: 'none' },
      )
  }

  #endLeft(exports: readonly [string, Begun][]): void {
    for (const [id, { at }] of exports) {
      if (performance.now() - at < LEFT_AFTER) continue
      this.#exports.delete(id)
      void this.#host.endCarry({ id }).catch(() => {})
    }
  }

  async #export(request: ExportPageRequest): Promise<unknown> {
    const { id, page } = request
    if (page === 0) {
      // It may be another caller's: what that one is given goes by what it has asked for.
      if (this.#exports.has(id))
        throw new CheckpointerError('INVALID', 'Another export has this id, and is under way.', {
          outcome: 'none',
        })
      this.#begin(id, request)
    }
    const begun = this.#exports.get(id)
    if (begun) begun.at = performance.now()
    let goesOn = false
    try {
      const reply = await this.#host.exportPage(request)
      goesOn = !reply.isLast
      return reply
    } finally {
      if (!goesOn) this.#exports.delete(id)
    }
  }
}

const isVerb = (verb: unknown): verb is Verb => VERBS.includes(verb as Verb)

function bounded(request: ImportPageRequest): ImportPageRequest {
  const { bytes, ratio, lines } = request.bounds
  return {
    ...request,
    bounds: {
      bytes: Math.min(bytes, IMPORT.bytes),
      ratio: Math.min(ratio, IMPORT.ratio),
      lines: Math.min(lines, IMPORT.lines),
    },
  }
}
