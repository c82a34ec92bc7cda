import type { CheckpointInfo } from '../../checkpoint.ts'
import type { StoredRun, StoredStatus, StoredWrite } from '../../operations/host.ts'
import type { SaveOptions } from '../threads/types.ts'
import type { Beside } from './ground/ground.ts'
import type { Turn } from './ground/turn.ts'
import { JournalWriter } from './journal/writer.ts'

/** Where a run stands: its record in the thread's row, and the checkpoint that its journal belongs to. */
export class RunState<State> {
  readonly turn: Turn<State>
  #run: StoredRun
  #seq: number
  #writer: JournalWriter

  constructor(turn: Turn<State>, run: StoredRun, seq: number) {
    this.turn = turn
    this.#run = run
    this.#seq = seq
    this.#writer = this.#journal(seq)
  }

  get run(): StoredRun {
    return this.#run
  }

  get seq(): number {
    return this.#seq
  }

  get writer(): JournalWriter {
    return this.#writer
  }

  /** Writes past the order of the journal, at once: for what stands by itself, and is no outcome of anything. */
  async putAside(writes: readonly StoredWrite[]): Promise<void> {
    const request = { checkpoint: this.#seq, writes, relaxed: true }
    await this.turn.ground.putWrites(request, this.turn.lease)
  }

  /**
   * A new checkpoint, and with it a new journal; refused with `CONFLICT` when others have saved meanwhile. The state is
   * captured at the call.
   */
  async save(state: State, options: SaveOptions, beside: Beside = {}): Promise<CheckpointInfo> {
    this.turn.signal.throwIfAborted()
    const before = this.#sendLast()
    const taken = this.turn.isHeld ? state : await this.#woken(state)
    const named = { ...options, runId: this.#run.id, expect: this.#seq }
    const saved = await this.turn.ground.save(taken, named, beside, this.turn.lease)
    await before
    this.#seq = saved.seq
    this.#writer = this.#journal(saved.seq)
    if (beside.run) this.#run = beside.run
    return saved
  }

  /** That it has ended, and how. Also when it was stopped, and while it waits, as long as nobody has taken it up. */
  async end(status: StoredStatus, writes: NonNullable<Beside['writes']>, why?: string): Promise<void> {
    await this.#sendLast()
    await this.turn.settled()
    const run = withStatus(this.#run, status, why)
    const request = { checkpoint: this.#seq, writes, run, turn: run.turn }
    await this.turn.ground.putWrites(request, this.turn.isParked ? undefined : this.turn.lease)
    this.#run = run
  }

  /** What was done is in the journal. What is to be begun once it has the thread again is not waited for. */
  async flush(): Promise<void> {
    if (this.turn.isHeld) await this.#writer.settled()
  }

  /** That it waits; `CONFLICT` when it was answered meanwhile, which whoever is killed now would not see. */
  async park(isIdle: () => boolean): Promise<void> {
    await this.#writer.settled()
    await this.turn.park(isIdle, async (lease) => {
      const { turn, at: since } = this.#run
      const run = withStatus(this.#run, 'waiting')
      await this.turn.ground.putWrites({ checkpoint: this.#seq, writes: [], run, turn, since }, lease)
      this.#run = run
    })
  }

  /** Others may have written how it stands, such as who has answered; what comes now is dated after that. */
  seen(run: StoredRun): void {
    if (!this.turn.isParked && run.turn === this.#run.turn && run.at > this.#run.at) this.#run = run
  }

  /** Has the thread; comes back to it, unless another runner has gone on before. */
  async wake(): Promise<void> {
    if (this.turn.isHeld) return
    await this.turn.wake(async (lease) => {
      const { ground } = this.turn
      const { run: latest } = await ground.journalOf(this.#seq)
      if (latest?.turn !== this.#run.turn) throw this.turn.lose()
      // Who answered may have a clock that is ahead: what comes now is dated after that.
      this.#run = latest.status === 'running' ? latest : withStatus(latest, 'running')
      if (this.#run !== latest)
        await ground.putWrites({ checkpoint: this.#seq, writes: [], run: this.#run }, lease)
    })
  }

  /** The state as it is now, when it has the thread again: it is the loop's to change meanwhile. */
  async #woken(state: State): Promise<State> {
    const { codec } = this.turn.ground
    const copy = codec.decode(codec.capture(state).state) as State
    await this.wake()
    return copy
  }

  #journal(checkpoint: number): JournalWriter {
    const { ground } = this.turn
    return new JournalWriter(ground.codec, async (writes, relaxed) => {
      // Also when it is being stopped: what was done is to be known.
      await this.wake()
      await ground.putWrites({ checkpoint, writes, relaxed }, this.turn.lease)
    })
  }

  /** The outcomes that nobody waits for. If one cannot be stored, what comes now makes up for it, or fails as well. */
  #sendLast(): Promise<void> {
    return this.#writer.settled().catch(() => {})
  }
}

/** Never dated before the status that it follows, also when that was written by another clock: a sync takes the later. */
export const withStatus = (
  { why: _before, ...run }: StoredRun,
  status: StoredStatus,
  why?: string,
): StoredRun => ({
  ...run,
  status,
  at: Math.max(Date.now(), run.at + 1),
  ...(why === undefined ? {} : { why }),
})
