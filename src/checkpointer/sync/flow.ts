import { CheckpointerError } from '../../errors.ts'
import type { Host, Place, SaveName, SyncPlace, SyncRow, SyncTakeReply } from '../../operations/host.ts'
import type { Tally } from './tally.ts'

/** So many are asked for in one message. */
const NAMES = 256

/** A store as its callers have it: they see which runs have no runner. */
export interface Facade {
  thread(
    id: string,
    options: { readonly namespace: string },
  ): { latestRun(): Promise<{ readonly status: string } | undefined> }
}

/** One namespace of a thread, from one store to another. */
export interface Flow extends Place {
  readonly from: Host
  readonly to: Host
  /** The same as its callers have it. */
  readonly taker: Facade
  /** How it stood on the other side, if it was there. */
  readonly takerPlace: SyncPlace | undefined
  /** The other side knows all up to this seq of this lane. */
  readonly known: readonly [lane: string, seq: number] | undefined
  /** The other side knows all pending writes that were filed up to this time. */
  readonly wroteKnown: number
  /** What has come from there just now, to this lane, need not be offered there. */
  readonly skip: (Stretch & { readonly lane: string }) | undefined
  /** Removals that both have heard of. */
  readonly heard: readonly string[]
  readonly tally: Tally
  readonly counts: { checkpoints: number }
}

/** Seqs from one on, up to before another. */
export interface Stretch {
  readonly from: number
  readonly next: number
}

export interface Flowed {
  /** All of this lane up to this seq is known on the other side. */
  readonly upTo: readonly [lane: string, seq: number] | undefined
  /** Where it stands there, if nothing else came in between. */
  readonly taken: (Stretch & { readonly lane: string }) | undefined
  readonly heads: number
  /** Those of the giver, where the other side has them all by now. */
  readonly given: readonly SaveName[] | undefined
  readonly wrote: number
  /** When the latest pending write was filed that was seen with each. */
  readonly filed: readonly [giver: number, taker: number]
}

/** Sends what the other side lacks: first names, then only the rows that it asks for, a page at a time. */
export async function flow(way: Flow): Promise<Flowed> {
  const { thread, namespace, from, takerPlace, tally } = way
  const takerHeads = takerPlace?.heads ?? []
  // What the giver has, and which of it are its heads, as they are in one moment: all that follows is of that.
  const told = await from.syncWant({
    thread,
    namespace,
    names: takerHeads.map(nameOf),
    withPlace: true,
    ...heardOf(way),
  })
  const { place: giverPlace } = told
  if (!giverPlace)
    return {
      upTo: undefined,
      taken: undefined,
      heads: takerHeads.length,
      given: undefined,
      wrote: way.wroteKnown,
      filed: [0, 0],
    }
  const giverHeads = new Set(giverPlace.heads.map(({ id }) => id))
  const lacking = new Set([...told.wanted, ...told.taken])
  const past = takerHeads.filter(({ id }, i) => !lacking.has(i) && !giverHeads.has(id)).map(({ id }) => id)
  const sender = new Sender(way, giverPlace, past, await turnLeft(way, giverPlace))
  // Of a thread that was begun anew nothing is known, whatever was of the one before.
  const isSame = way.known?.[0] === giverPlace.lane
  const skip = way.skip?.lane === giverPlace.lane ? way.skip : undefined
  for (let after = isSame && way.known ? way.known[1] : 0; after < giverPlace.next - 1;) {
    tally.rest()
    const before = skip && after < skip.from - 1 ? Math.min(skip.from, giverPlace.next) : giverPlace.next
    if (skip && after >= skip.from - 1 && after < skip.next - 1) after = skip.next - 1
    else {
      const page = await from.syncHave({ thread, namespace, after, before, limit: NAMES })
      sender.leaveOut(page.damaged ?? [])
      await sender.send(page.names)
      after = page.last
    }
  }
  const wroteKnown = isSame ? way.wroteKnown : 0
  const { wrote = wroteKnown } = giverPlace
  if (wrote > wroteKnown) await sender.sendWrites(wroteKnown)
  await sender.end()
  return {
    upTo: [giverPlace.lane, (sender.again ?? giverPlace.next) - 1],
    taken: sender.taken,
    heads: sender.heads,
    given: sender.again === undefined ? giverPlace.heads.map(nameOf) : undefined,
    wrote: sender.isWhole ? wrote : wroteKnown,
    filed: [giverPlace.wrote ?? 0, sender.filed],
  }
}

/** The turn of a run that the giver has gone on with, and whose runner is gone where it was. */
async function turnLeft(
  { thread, namespace, takerPlace, taker }: Flow,
  giverPlace: SyncPlace,
): Promise<string | undefined> {
  const own = takerPlace?.heads[0]?.run
  const isTakenUp =
    own?.status === 'running' &&
    giverPlace.heads.some(({ run }) => run?.id === own.id && run.turn !== own.turn)
  if (!isTakenUp) return undefined
  const seen = await taker.thread(thread, { namespace }).latestRun()
  return seen?.status === 'orphaned' ? own.turn : undefined
}

export const nameOf = ({ id, key }: SaveName): { id: string; key?: string } =>
  key === undefined ? { id } : { id, key }

class Sender {
  heads = 0
  filed = 0
  /** The first that cannot be read, or that the other side cannot take as it has another under its id: from there on all is offered again. */
  again: number | undefined
  readonly #way: Flow
  readonly #place: SyncPlace
  readonly #past: Set<string>
  readonly #left: string | undefined
  readonly #sent = new Set<number>()
  readonly #damaged = new Set<number>()
  #isThere: boolean
  #taken: (Stretch & { readonly lane: string }) | undefined
  #isMixed = false

  constructor(way: Flow, place: SyncPlace, past: readonly string[], left: string | undefined) {
    this.#way = way
    this.#place = place
    this.#past = new Set(past)
    this.#left = left
    this.#isThere = way.takerPlace !== undefined
    this.heads = way.takerPlace?.heads.length ?? 0
  }

  get taken(): (Stretch & { readonly lane: string }) | undefined {
    return this.#isMixed ? undefined : this.#taken
  }

  /** Nothing was left out that cannot be read now. */
  get isWhole(): boolean {
    return this.#damaged.size === 0
  }

  leaveOut(damaged: readonly number[]): void {
    for (const seq of damaged) {
      if (!this.#damaged.has(seq)) this.#way.tally.damaged++
      this.#damaged.add(seq)
      this.#offerAgain(seq)
    }
  }

  #offerAgain(seq: number): void {
    this.again = Math.min(this.again ?? seq, seq)
  }

  async send(
    names: readonly { readonly seq: number; readonly id: string; readonly key?: string }[],
  ): Promise<void> {
    if (names.length === 0) return
    const { thread, namespace, from, to, tally } = this.#way
    const { wanted, taken } = await to.syncWant({
      thread,
      namespace,
      names: names.map(nameOf),
      ...heardOf(this.#way),
    })
    const first = names[taken[0] ?? names.length]
    if (first) this.#offerAgain(first.seq)
    for (const i of taken) tally.conflict({ thread, namespace, id: names[i]?.id ?? '' })
    for (let seqs = wanted.map((i) => names[i]?.seq ?? 0); seqs.length > 0;) {
      tally.rest()
      const given = await from.syncGive({ thread, namespace, seqs, states: 'deltas' })
      this.leaveOut(given.damaged)
      await this.#take(given.rows)
      for (const { info } of given.rows) this.#sent.add(info.seq)
      seqs = seqs.slice(Math.max(1, given.passed))
    }
  }

  /** What has come to stand with checkpoints that the other side had before. */
  async sendWrites(wroteAfter: number): Promise<void> {
    const { thread, namespace, from, tally } = this.#way
    const place = { thread, namespace }
    const { next } = this.#place
    for (let after = 0; after < next - 1;) {
      tally.rest()
      const page = await from.syncHave({ ...place, after, before: next, limit: NAMES, wroteAfter })
      let seqs = page.names.map(({ seq }) => seq).filter((seq) => !this.#sent.has(seq))
      while (seqs.length > 0) {
        const given = await from.syncGive({ ...place, seqs, states: 'none' })
        this.leaveOut(given.damaged)
        await this.#take(given.rows)
        seqs = seqs.slice(Math.max(1, given.passed))
      }
      after = page.last
    }
  }

  /** Nothing is left to come: what becomes of the heads is decided. */
  async end(): Promise<void> {
    if (this.#isThere || this.#place.heads.length > 0) await this.#take([], true)
  }

  async #take(rows: readonly SyncRow[], isLast = false): Promise<void> {
    const { to, tally, counts } = this.#way
    let left = rows
    let most = Infinity
    do {
      tally.rest()
      const some = left.slice(0, most)
      const reply = await to.syncTake(this.#request(some, isLast)).catch(ifTooLarge)
      if (reply === TOO_LARGE) {
        // Which of them is, nobody says: that is seen when they go one by one.
        if (some.length === 0) throw notTaken(this.#way)
        if (some.length === 1) {
          this.leaveOut(some.map(({ info }) => info.seq))
          left = left.slice(1)
        }
        most = 1
        continue
      }
      this.#isThere = true
      this.#note(some, reply)
      counts.checkpoints += reply.added
      tally.tell()
      if (!reply.isStuck && reply.taken === 0 && left.length > 0) throw notTaken(this.#way)
      left = reply.isStuck ? await this.#unstuck(left) : left.slice(reply.taken)
    } while (left.length > 0)
  }

  #request(rows: readonly SyncRow[], isLast: boolean) {
    const { thread, namespace } = this.#way
    const { createdAt, label, forkOf, heads } = this.#place
    return {
      thread,
      namespace,
      about: { createdAt, ...(label === undefined ? {} : { label }), ...(forkOf ? { forkOf } : {}) },
      rows,
      heads,
      past: [...this.#past],
      ...(this.#left === undefined ? {} : { left: this.#left }),
      isLast,
      ...heardOf(this.#way),
    }
  }

  #note(rows: readonly SyncRow[], reply: SyncTakeReply): void {
    const { added, from, next, lane, heads, isChanged, wrote = this.filed, damaged = [] } = reply
    this.leaveOut(damaged)
    this.heads = heads.length
    this.filed = wrote
    if (isChanged) this.#way.tally.changes++
    // Until a head of the giver's has come, one of those before it stands for it there.
    const sent = new Set(rows.map(({ info }) => info.id))
    for (const id of heads)
      if (sent.has(id) && !this.#place.heads.some((head) => head.id === id)) this.#past.add(id)
    if (added === 0) return
    const before = this.#taken
    if (before && (before.next !== from || before.lane !== lane)) this.#isMixed = true
    this.#taken = { from: before?.from ?? from, next, lane }
  }

  /** What the first of them starts from is not there: then it starts from nothing. */
  async #unstuck([first, ...rest]: readonly SyncRow[]): Promise<readonly SyncRow[]> {
    const { thread, namespace, from } = this.#way
    if (!first?.base) throw notTaken(this.#way)
    const given = await from.syncGive({ thread, namespace, seqs: [first.info.seq], states: 'whole' })
    this.leaveOut(given.damaged)
    return [...given.rows, ...rest]
  }
}

const TOO_LARGE = Symbol('too large')

/** For the other store, or for the way there. */
function ifTooLarge(error: unknown): typeof TOO_LARGE {
  if (CheckpointerError.is(error, 'TOO_LARGE')) return TOO_LARGE
  throw error
}

const heardOf = ({ heard }: Flow): Pick<Flow, 'heard'> | object => (heard.length > 0 ? { heard } : {})

const notTaken = ({ thread, namespace }: Place): CheckpointerError =>
  new CheckpointerError(
    'FAILED',
    'The other store does not take what it was sent, and does not say why. It may be of another version of the package: update both.',
    {
      thread,
      namespace,
    },
  )
