import type { CheckpointerEvent } from '../../../checkpoint.ts'
import { CheckpointerError, isTaken } from '../../../errors.ts'
import type { Place } from '../../../operations/host.ts'
import { pause } from '../../../tabs/pause.ts'
import type { Leases } from '../../leases/leases.ts'
import type { NewsSource } from '../../leases/news.ts'
import { nameOfPlace } from '../../places.ts'
import { pagesOfRuns } from './list-runs.ts'
import { infoOfRun, type RunInfo, type RunReader } from './run-info.ts'

export type OrphanHandler = (run: RunInfo) => unknown

export interface Pace {
  /** Between two looks at what is known to run, in milliseconds. */
  readonly look: number
  /** How many looks lie between two at all threads, where news is heard only in part. */
  readonly often: number
  /** The same where all news is heard, save from one that was killed before it could tell. */
  readonly rarely: number
}

const PACE: Pace = { look: 1_000, often: 5, rarely: 60 }
/** Runs that are looked at; more are found when some of these have ended, or were told. */
const MOST = 1_000
/** Turns that are known to have been told. One that was forgotten is told again, rather than never. */
const MOST_TOLD = 100_000

/** What orphans are found by. */
export interface OrphanSources extends RunReader {
  readonly leases: Pick<Leases, 'isHeld'>
  readonly news: NewsSource
  /** Aborted when the checkpointer closes. */
  readonly closed: AbortSignal
}

/** A place where a run was seen running, in a turn that was not told. */
interface Running {
  readonly place: Place
  /** The turn that nobody held at the last look. An answered run has no runner for a moment: hence two looks. */
  suspect?: string | undefined
}

/** Tells a handler of runs whose runner is gone, once for each turn, until the signal is aborted. */
export class Orphans {
  readonly #sources: OrphanSources
  readonly #handler: OrphanHandler
  readonly #signal: AbortSignal
  readonly #pace: Pace
  readonly #running = new Map<string, Running>()
  /** The turns that the handler was told of, by the name of their place. */
  readonly #told = new Map<string, string>()
  #untilScan = 0
  /** Everything was destroyed: to look would make the database anew. */
  #isGone = false
  #isWarned = false

  constructor(
    sources: OrphanSources,
    handler: OrphanHandler,
    { signal, pace = PACE }: { readonly signal: AbortSignal; readonly pace?: Pace | undefined },
  ) {
    this.#sources = sources
    this.#handler = handler
    this.#signal = signal
    this.#pace = pace
    const leave = sources.news.subscribe((event) => this.#hear(event))
    signal.addEventListener('abort', leave, { once: true })
    const leaveGaps = sources.news.onGap?.(() => (this.#untilScan = 0))
    if (leaveGaps) signal.addEventListener('abort', leaveGaps, { once: true })
  }

  async follow(): Promise<void> {
    for (;;) {
      try {
        if (!this.#isGone && this.#untilScan-- <= 0) await this.#scan()
        await this.#look()
        this.#isWarned = false
      } catch (error) {
        this.#signal.throwIfAborted()
        this.#warn(error)
      }
      await pause(this.#pace.look, this.#signal, true)
    }
  }

  #hear(event: CheckpointerEvent): void {
    this.#isGone = event.type === 'destroyed'
    if (event.type === 'destroyed') this.#running.clear()
    else if (event.type === 'deleted') this.#forget(({ thread }) => thread === event.thread)
    else if (event.type === 'run' && event.status === 'running') this.#note(event)
    else if (event.type === 'run') this.#rest(nameOfPlace(event))
  }

  /** What was told stays: whatever comes under that name has turns of its own. */
  #forget(isGone: (place: Place) => boolean): void {
    for (const [name, { place }] of this.#running) if (isGone(place)) this.#running.delete(name)
  }

  /** It does not run just now. When it does again it may be in the same turn, as after an answer. */
  #rest(name: string): void {
    this.#running.delete(name)
    this.#told.delete(name)
  }

  #note({ thread, namespace }: Place): void {
    const place = { thread, namespace }
    const name = nameOfPlace(place)
    if (!this.#running.has(name) && this.#running.size < MOST) this.#running.set(name, { place })
  }

  async #scan(): Promise<void> {
    for await (const items of pagesOfRuns(this.#sources.host, this.#signal))
      for (const item of items)
        if (item.run.status === 'running' && this.#told.get(nameOfPlace(item)) !== item.run.turn)
          this.#note(item)
    const { often, rarely } = this.#pace
    this.#untilScan = this.#sources.news.hearsAll ? rarely : often
  }

  async #look(): Promise<void> {
    // All of them to their end: a look that was still under way would be taken for the one before the next.
    const looks = await Promise.allSettled(
      Array.from(this.#running.values(), (running) => this.#lookAt(running)),
    )
    for (const look of looks) if (look.status === 'rejected') throw look.reason
  }

  async #lookAt(running: Running): Promise<void> {
    const { host, leases } = this.#sources
    const { place } = running
    const name = nameOfPlace(place)
    if (await leases.isHeld(place.thread, { signal: this.#signal, isIdle: true })) {
      running.suspect = undefined
      return
    }
    const { run } = await host.head(place)
    if (this.#signal.aborted) return
    const isTold = run !== undefined && this.#told.get(name) === run.turn
    if (run?.status !== 'running' || isTold) this.#running.delete(name)
    else if (run.turn !== running.suspect) running.suspect = run.turn
    else {
      this.#running.delete(name)
      this.#keepTold(name, run.turn)
      this.#tell({ ...infoOfRun(place, run), status: 'orphaned' }, run.turn)
    }
  }

  #keepTold(name: string, turn: string): void {
    this.#told.delete(name)
    this.#told.set(name, turn)
    const [oldest] = this.#told.keys()
    if (this.#told.size > MOST_TOLD && oldest !== undefined) this.#told.delete(oldest)
  }

  #tell(run: RunInfo, turn: string): void {
    const told = async (): Promise<void> => void (await this.#handler(run))
    told().catch((error: unknown) => {
      const isRace = CheckpointerError.is(error, 'BLOCKED') || CheckpointerError.is(error, 'LEASE_LOST')
      const isOver = this.#signal.aborted && CheckpointerError.is(error, 'CLOSED')
      // Whoever won may be gone before it has made the turn its own.
      if (isRace && this.#told.get(nameOfPlace(run)) === turn) {
        this.#told.delete(nameOfPlace(run))
        this.#note(run)
      }
      if (!isRace && !isOver) this.#sources.news.onWarning(notTaken(run, error))
    })
  }

  #warn(cause: unknown): void {
    if (isTaken(cause)) return this.#sources.news.onWarning(cause)
    if (this.#isWarned) return
    this.#isWarned = true
    const message = 'Orphaned runs cannot be looked for just now. They are told later.'
    this.#sources.news.onWarning(new CheckpointerError('FAILED', message, { cause }))
  }
}

const notTaken = ({ thread, namespace, runId }: RunInfo, cause: unknown): CheckpointerError =>
  new CheckpointerError(
    'FAILED',
    `The handler of orphans failed for run '${runId}' of thread '${thread}', which is told no more until it is taken up.`,
    { thread, namespace, cause },
  )
