import { CheckpointerError, type ErrorCode } from '../../errors.ts'
import type { Host, Place, SyncAskReply, SyncNote, SyncPlace } from '../../operations/host.ts'
import { someAtATime } from '../../platform/some-at-a-time.ts'
import { newId } from '../new-id.ts'
import { flow } from './flow.ts'
import { heeded, type Asked } from './heeded.ts'
import { threadsToSync } from './listing.ts'
import { isAsNoted, isBefore, noted, stampsOf } from './noted.ts'
import { OnceEach } from './once-each.ts'
import { itself, type SyncAsked, type Synced } from './options.ts'
import { Tally, ThreadTally } from './tally.ts'
import { nameOf, type Facade, type Flow, type Flowed } from './way.ts'

/** As many removals are told in one message. */
const REMOVALS = 64

/** One of the two: its store, and as its callers have it. */
interface Side {
  readonly host: Host
  readonly store: Facade
}

/** Of the other one, what it answers is looked at first. */
interface OtherSide extends Omit<Side, 'host'> {
  readonly host: Asked
}

/** Brings two stores together: what either lacks of the other it gets, and what was removed from one goes from the other. */
export async function syncStores(here: Side, there: Side, asked: SyncAsked): Promise<Synced> {
  const theirs = heeded(there.host)
  const mine = here.host
  const tally = new Tally(asked)
  const threads = asked.threads ?? (await threadsToSync(mine, theirs, asked.pushes && asked.pulls, tally))
  const sync = new Sync(here, { store: there.store, host: theirs }, asked, tally, threads)
  tally.of = threads.length
  tally.tell()
  await someAtATime(threads, AT_A_TIME, async (thread) => {
    await sync.thread(thread)
    tally.done()
  })
  // Last, so that a fork still finds its origin as it was.
  await sync.removals()
  return tally.result()
}

/** Most of the time is waited for answers; of what they hold, only this much more is held. */
const AT_A_TIME = 4

const LEFT_OUT: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['CORRUPT', 'FORMAT_TOO_NEW', 'TOO_LARGE'])

/** A fork's origin is not there, or no more, or not this caller's to fork; or the fork is there itself by now. */
const NOT_FORKED: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'])

interface Removals {
  readonly thread: string
  readonly names: readonly string[]
  readonly isDeleted: boolean
}

class Sync {
  readonly #mine: Host
  readonly #theirs: Asked
  readonly #here: Facade
  readonly #there: Facade
  readonly #asked: SyncAsked
  readonly #tally: Tally
  readonly #each: OnceEach
  readonly #toMine: Removals[] = []
  readonly #toTheirs: Removals[] = []

  constructor(here: Side, there: OtherSide, asked: SyncAsked, tally: Tally, threads: readonly string[]) {
    this.#mine = here.host
    this.#theirs = there.host
    this.#here = here.store
    this.#there = there.store
    this.#asked = asked
    this.#tally = tally
    this.#each = new OnceEach(threads, (thread) => this.#thread(thread))
  }

  /** Nothing where one of them lets nobody ask, of threads that were not asked for by name. */
  async #ask(thread: string): Promise<readonly [SyncAskReply, SyncAskReply] | undefined> {
    try {
      // The other one first: what it refuses is not written down for it here.
      const there = await this.#theirs.syncAsk({ thread })
      return [await this.#mine.syncAsk({ thread }), there]
    } catch (error) {
      if (this.#asked.threads || !CheckpointerError.is(error, 'FORBIDDEN')) throw error
      return undefined
    }
  }

  thread(thread: string): Promise<void> {
    return this.#each.done(thread)
  }

  /** A fork comes after its origin. */
  async #thread(thread: string): Promise<void> {
    this.#tally.rest()
    const both = await this.#ask(thread)
    if (!both) return void this.#tally.refused.push(thread)
    this.#tally.threads++
    const [here, there] = both
    if (here.store !== '' && here.store === there.store) throw itself()
    for (const { forkOf } of [...here.places, ...there.places])
      if (forkOf) await this.#each.doneFirst(forkOf.thread, thread)
    const note =
      there.store === '' ? null : (await this.#mine.syncRecall({ of: [{ thread, store: there.store }] }))[0]
    const places: SyncNote['places'][number][] = []
    const tally = new ThreadTally(this.#tally)
    const names = new Set([...here.places, ...there.places].map(({ namespace }) => namespace))
    for (const namespace of names) {
      const known = note?.places.find((each) => each.namespace === namespace)
      const now = await orLeftOut(tally, known, this.#place({ thread, namespace, tally }, here, there, known))
      if (now) places.push(now)
    }
    // What keeps a checkpoint from coming over may go without a change of this thread; and one that is put back to a
    // copy from before what was changed now has the stamp of then.
    const isSame = !tally.isLoose && !tally.isChanged
    const isQuiet = !this.#addRemovals(thread, here, there) && isSame
    if (there.store === '') return
    const { pushes, pulls } = this.#asked
    const stamps = isQuiet && pushes && pulls ? stampsOf(here, there) : {}
    const now: SyncNote = { ...stamps, places }
    if (JSON.stringify(now) !== JSON.stringify(note))
      await this.#mine.syncNote({ thread, store: there.store, note: now })
  }

  async removals(): Promise<void> {
    for (const each of this.#toMine)
      this.#tally.received.removed += await orLeftOut(
        this.#tally,
        0,
        this.#forget(this.#theirs, this.#mine, each),
      )
    for (const each of this.#toTheirs)
      this.#tally.sent.removed += await orLeftOut(
        this.#tally,
        0,
        this.#forget(this.#mine, this.#theirs, each),
      )
  }

  /** Both ways; what each side then knows all of. */
  async #place(
    { thread, namespace, tally }: Place & { readonly tally: ThreadTally },
    here: SyncAskReply,
    there: SyncAskReply,
    note: SyncNote['places'][number] | undefined,
  ): Promise<SyncNote['places'][number] | undefined> {
    const own = here.places.find((each) => each.namespace === namespace)
    const other = there.places.find((each) => each.namespace === namespace)
    const isBack =
      note && (isBefore(own, note.mine, note.filed?.[0]) || isBefore(other, note.theirs, note.filed?.[1]))
    if (note && !isBack && isAsNoted(own, other, note)) return note
    const known = isBack || (await this.#hasLost(thread, note)) ? undefined : note
    const { pushes, pulls } = this.#asked
    const heard = heardOfBoth(here, there)
    const about = { thread, namespace, tally, heard }
    let pulled: Flowed | undefined
    let pushed: Flowed | undefined
    if (pulls && other) {
      const ground = own ?? (await this.#forked(this.#theirs, this.#mine, about, other))
      pulled = await flow({
        ...about,
        from: this.#theirs,
        to: this.#mine,
        taker: this.#here,
        takerPlace: ground,
        known: known?.theirs,
        wroteKnown: known?.wrote?.[1] ?? 0,
        skip: undefined,
        counts: this.#tally.received,
      })
    }
    if (pushes && own) {
      const ground = other ?? (await this.#forked(this.#mine, this.#theirs, about, own))
      pushed = await flow({
        ...about,
        from: this.#mine,
        to: this.#theirs,
        taker: this.#there,
        takerPlace: ground,
        known: known?.mine,
        wroteKnown: known?.wrote?.[0] ?? 0,
        skip: pulled?.taken,
        counts: this.#tally.sent,
      })
    }
    const heads = pulled?.heads ?? own?.heads.length ?? 0
    if (heads > 1) this.#tally.diverged.add(thread)
    return noted(namespace, known, pulled, pushed)
  }

  /** One of them was put back to an earlier copy of itself, and has gone on past where it was. */
  async #hasLost(thread: string, note: SyncNote['places'][number] | undefined): Promise<boolean> {
    const { namespace = '', heads = [] } = note ?? {}
    if (heads.length === 0) return false
    const asked = { thread, namespace, names: heads }
    const told = await Promise.all([this.#mine.syncWant(asked), this.#theirs.syncWant(asked)])
    return told.some(({ wanted, taken }) => wanted.length + taken.length > 0)
  }

  /**
   * A fork is made as one where its origin is, with what it showed where it was made; else its rows come like any. Of
   * what was removed there it borrows nothing, unless the giver has `heard` of that.
   */
  async #forked(
    from: Asked,
    to: Asked,
    { thread, tally, heard }: Pick<Flow, 'thread' | 'tally' | 'heard'>,
    place: SyncPlace,
  ): Promise<SyncPlace | undefined> {
    const { namespace, forkOf, createdAt, label } = place
    if (!forkOf) return undefined
    const page = { thread, namespace, after: 0, before: forkOf.seq + 1, limit: MOST_BORROWED }
    const shown = (await from.syncHave(page)).names
    if (shown.length === MOST_BORROWED) return undefined
    if (shown.at(-1)?.id !== forkOf.id) return undefined
    const request = {
      thread: forkOf.thread,
      namespace: forkOf.namespace,
      at: { id: forkOf.id },
      as: thread,
      createdAt,
      key: newId(),
      only: shown.map(nameOf),
      ...(heard.length > 0 ? { heard } : {}),
      ...(label === undefined ? {} : { label }),
    }
    try {
      await to.fork(request)
      tally.isChanged = true
    } catch (error) {
      if (!CheckpointerError.is(error) || !NOT_FORKED.has(error.code)) throw error
      return undefined
    }
    return (await to.syncAsk({ thread })).places.find((each) => each.namespace === namespace)
  }

  #addRemovals(thread: string, here: SyncAskReply, there: SyncAskReply): boolean {
    const [mine, theirs] = [new Set(here.gone), new Set(there.gone)]
    const add = (list: Removals[], from: SyncAskReply, known: ReadonlySet<string>): boolean => {
      const names = from.gone.filter((name) => !known.has(name))
      if (names.length > 0) list.push({ thread, names, isDeleted: from.places.length === 0 })
      return names.length > 0
    }
    const comes = this.#asked.pulls && add(this.#toMine, there, mine)
    const goes = this.#asked.pushes && add(this.#toTheirs, here, theirs)
    return comes || goes
  }

  async #forget(from: Asked, to: Asked, { thread, names, isDeleted }: Removals): Promise<number> {
    let count = 0
    for (let at = 0; at < names.length; at += REMOVALS) {
      this.#tally.rest()
      const gone = await from.syncGone({ thread, names: names.slice(at, at + REMOVALS) })
      if (gone.length > 0)
        count += await to.syncForget({ thread, gone, deleted: isDeleted && at + REMOVALS >= names.length })
    }
    return count
  }
}

/** What cannot be read, or is too large for the other side, keeps nothing else from being brought over. */
function orLeftOut<T>(tally: Pick<Tally, 'leftOut'>, instead: T, work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (!CheckpointerError.is(error) || !LEFT_OUT.has(error.code)) throw error
    tally.leftOut()
    return instead
  })
}

const MOST_BORROWED = 10_000
/** They go with each page; of an older one, what was made anew stays where it is. */
const MOST_HEARD = 256

/** The latest removals that both know of: whoever shows something of them has made it anew. */
function heardOfBoth({ gone: mine }: SyncAskReply, { gone }: SyncAskReply): readonly string[] {
  const theirs = new Set(gone)
  return mine.filter((name) => theirs.has(name)).slice(-MOST_HEARD)
}
