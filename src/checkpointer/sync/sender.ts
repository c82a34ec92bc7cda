import { CheckpointerError } from '../../errors.ts'
import type { Place, SyncPlace, SyncRow, SyncTakeReply } from '../../operations/host.ts'
import { heardOf, nameOf, type Flow, type Stretch } from './way.ts'

/** So many are asked for in one message. */
export const NAMES = 256

/** Brings the rows of one namespace over, and notes what the other side has made of them. */
export class Sender {
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
      if (!this.#damaged.has(seq)) this.#way.tally.leftOut()
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
      tally.all.rest()
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
      tally.all.rest()
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
      tally.all.rest()
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
      tally.all.tell()
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
    if (isChanged) this.#way.tally.isChanged = true
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

const notTaken = ({ thread, namespace }: Place): CheckpointerError =>
  new CheckpointerError(
    'FAILED',
    'The other store does not take what it was sent, and does not say why. It may be of another version of the package: update both.',
    {
      thread,
      namespace,
    },
  )
