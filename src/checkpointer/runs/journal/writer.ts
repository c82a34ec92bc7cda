import type { StoredWrite } from '../../../operations/host.ts'
import type { Codec } from '../../../state/codec.ts'
import { toBytes } from '../../../state/json-bytes.ts'

/** One entry on its way to the journal. */
export interface Entry {
  readonly key: string
  readonly at: { readonly channel: string; readonly index: number }
  readonly value: unknown
}

/** How an entry is to be written. */
export interface Manner {
  /** A crash of the machine may take it back. */
  readonly relaxed?: boolean
  /** Nobody waits for it: it may come with the next one. */
  readonly lazy?: boolean
}

interface Batch {
  readonly writes: StoredWrite[]
  relaxed: boolean
  isSent: boolean
  readonly done: Promise<void>
  readonly settle: (work: Promise<void>) => void
}

/** How many steps of the microtask queue a lazy entry waits: long enough for the loop to begin its next step. */
const LAZY = 24
/**
 * What a run writes into its journal, in order, one commit at a time; what comes meanwhile goes together. So the
 * outcome of a step and the intent of the next are one commit.
 */
export class JournalWriter {
  readonly #codec: Codec
  readonly #send: (writes: readonly StoredWrite[], relaxed: boolean) => Promise<void>
  #next: Batch | undefined
  #sending: Promise<void> = Promise.resolve()
  /** Of what nobody waited for. */
  #failure: { readonly error: unknown } | undefined

  constructor(codec: Codec, send: (writes: readonly StoredWrite[], relaxed: boolean) => Promise<void>) {
    this.#codec = codec
    this.#send = send
  }

  /** The entries as they are now. Resolves when they are stored; a lazy one at once. */
  async write(entries: readonly Entry[], manner?: Manner): Promise<void> {
    this.#refuseAfterFailure()
    const writes = entries.map((entry) => storedEntry(entry, this.#codec))
    return this.put(writes, manner)
  }

  /** The same for what is encoded already. */
  async put(writes: readonly StoredWrite[], { relaxed = false, lazy = false }: Manner = {}): Promise<void> {
    this.#refuseAfterFailure()
    const batch = (this.#next ??= newBatch())
    batch.writes.push(...writes)
    batch.relaxed &&= relaxed
    if (!lazy) {
      this.#flush(batch)
      return batch.done
    }
    batch.done.catch((error: unknown) => (this.#failure ??= { error }))
    void this.#soon(batch)
  }

  /** Resolves when all so far is stored. */
  async settled(): Promise<void> {
    if (this.#next) this.#flush(this.#next)
    await this.#sending
    this.#refuseAfterFailure()
  }

  async #soon(batch: Batch): Promise<void> {
    for (let i = 0; i < LAZY && !batch.isSent; i++) await Promise.resolve()
    this.#flush(batch)
  }

  /** Sends the batch when what is under way is stored; until then more may join it. Those who wrote it are told. */
  #flush(batch: Batch): void {
    if (batch.isSent) return
    batch.isSent = true
    const sending = this.#sending.then(async () => {
      if (this.#next === batch) this.#next = undefined
      await this.#send(batch.writes, batch.relaxed)
    })
    this.#sending = sending.catch(() => {})
    batch.settle(sending)
  }

  #refuseAfterFailure(): void {
    if (this.#failure) throw this.#failure.error
  }
}

function newBatch(): Batch {
  let settle: Batch['settle'] = () => {}
  const done = new Promise<void>((resolve) => {
    settle = resolve
  })
  return { writes: [], relaxed: true, isSent: false, done, settle }
}

export const storedEntry = ({ key, at, value }: Entry, codec: Codec): StoredWrite => ({
  taskId: key,
  ...at,
  body: toBytes(codec.capture(value).state),
})
