import type { CheckpointInfo } from '../../checkpoint.ts'
import type { StoredRun, StoredStatus } from '../../operations/host.ts'
import type { SaveOptions } from '../threads/types.ts'
import type { Beside } from './ground.ts'
import type { Turn } from './turn.ts'
import { JournalWriter } from './writer.ts'

/** Where a run stands: its record in the thread's row, and the checkpoint that its journal belongs to. */
export class RunState<State> {
  readonly turn: Turn<State>
  readonly writer: JournalWriter
  #run: StoredRun
  #seq: number
  #isParked = false

  constructor(turn: Turn<State>, run: StoredRun, seq: number) {
    this.turn = turn
    this.#run = run
    this.#seq = seq
    this.writer = new JournalWriter(turn.ground.codec, async (writes, relaxed) => {
      // Also when it is being stopped: what was done is to be known.
      await this.wake()
      await turn.ground.putWrites({ checkpoint: this.#seq, writes, relaxed }, turn.lease)
    })
  }

  get run(): StoredRun {
    return this.#run
  }

  get seq(): number {
    return this.#seq
  }

  /** A new checkpoint, and with it a new journal; refused with `CONFLICT` when others have saved meanwhile. */
  async save(state: State, options: SaveOptions, beside: Beside = {}): Promise<CheckpointInfo> {
    await this.writer.settled()
    const lease = await this.#turnToWrite()
    const saved = await this.turn.ground.save(
      state,
      { ...options, runId: this.#run.id, expect: this.#seq },
      beside,
      lease,
    )
    this.#seq = saved.seq
    if (beside.run) this.#run = beside.run
    return saved
  }

  /** That it has ended, and how. Also when it was stopped, and while it waits, as long as nobody has taken it up. */
  async end(status: StoredStatus, writes: NonNullable<Beside['writes']>): Promise<void> {
    const run = withStatus(this.#run, status)
    const request = { checkpoint: this.#seq, writes, run, turn: run.turn }
    await this.turn.ground.putWrites(request, this.#isParked ? undefined : this.turn.lease)
    this.#run = run
  }

  park(): Promise<void> {
    return this.turn.park(async (lease) => {
      await this.writer.settled()
      const run = withStatus(this.#run, 'waiting')
      await this.turn.ground.putWrites({ checkpoint: this.#seq, writes: [], run }, lease)
      this.#run = run
      this.#isParked = true
    })
  }

  /** Goes on, unless another runner has gone on before. */
  async wake(): Promise<void> {
    if (!this.#isParked) return
    await this.turn.wake(async (lease) => {
      this.#isParked = false
      const { ground } = this.turn
      const { run: latest } = await ground.journalOf(this.#seq)
      if (latest?.turn !== this.#run.turn) throw this.turn.lose()
      this.#run = withStatus(this.#run, 'running')
      if (latest.status !== 'running')
        await ground.putWrites({ checkpoint: this.#seq, writes: [], run: this.#run }, lease)
    })
  }

  async #turnToWrite() {
    await this.wake()
    return this.turn.held()
  }
}

export const withStatus = (run: StoredRun, status: StoredStatus): StoredRun => ({
  ...run,
  status,
  at: Date.now(),
})
