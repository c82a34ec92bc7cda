import type { CheckpointerError } from 'forkpoint'
import { PageStays } from '../../../src/checkpointer/runs/ground/page-stays.ts'
import type { PendingWrite } from '../../../src/checkpoint.ts'
import { INTENT, readJournal, type JournalStep } from '../../../src/checkpointer/runs/journal/entries.ts'
import type { EntryWrite, StreamEntry } from '../../../src/checkpointer/runs/streams/entry.ts'
import { OpenLogs } from '../../../src/checkpointer/runs/streams/open-logs.ts'
import type { StreamOptions } from '../../../src/checkpointer/runs/streams/options.ts'
import type { GivenSource } from '../../../src/checkpointer/runs/streams/opening.ts'
import { openStream } from '../../../src/checkpointer/runs/streams/stream.ts'
import { createCodec } from '../../../src/state/codec.ts'
import { fromBytes } from '../../../src/state/json-bytes.ts'

const codec = createCodec()

/** A journal that outlives the runs on it: what is written once stays, as in the store. */
export class FakeJournal {
  readonly writes: PendingWrite[] = []
  readonly commits: { readonly count: number; readonly isLog: boolean }[] = []
  readonly #ifGoneOn: (() => void)[] = []
  readonly blamed: unknown[] = []
  open = 0
  readonly warnings: CheckpointerError[] = []
  fails = false
  /** Nothing is answered any more. */
  hangs = false
  readonly logs = new OpenLogs()

  /** A run from the beginning, with the same steps. */
  run(): FakeRun {
    return new FakeRun(this)
  }

  step(name = 'answer'): JournalStep | undefined {
    return readJournal(this.writes, 'run').steps.find((step) => step.name === name)
  }

  entry(name: string): StreamEntry {
    this.goOn()
    const found = this.step(name)
    const taskId = `key of ${name}`
    if (!found) {
      const order = this.writes.length + 1
      const intent = { runId: 'run', kind: 'stream', name, nth: 1, order, within: [], external: false }
      this.writes.push({ taskId, ...INTENT, value: intent })
    }
    const put = (writes: readonly EntryWrite[], isLog = false): void => {
      if (this.fails) throw new Error('disk')
      this.commits.push({ count: writes.length, isLog })
      for (const { index, channel, body } of writes) {
        const at = this.writes.findIndex((write) => write.taskId === taskId && write.index === index)
        if (at >= 0 && index >= 0) continue
        if (at >= 0) this.writes.splice(at, 1)
        this.writes.push({ taskId, index, channel, value: codec.decode(fromBytes(body)) })
      }
    }
    const later = async (writes: readonly EntryWrite[], isLog: boolean): Promise<void> => {
      await (this.hangs ? new Promise(() => {}) : Promise.resolve())
      put(writes, isLog)
    }
    this.open++
    return {
      key: taskId,
      found,
      held: async () => {},
      write: (writes) => later(writes, false),
      log: (writes) => later(writes, true),
      ifGoneOn: (writes) => void this.#ifGoneOn.push(() => put(writes)),
      blame: (error) => void this.blamed.push(error),
      close: () => void this.open--,
    }
  }

  /** The loop has done something else. */
  goOn(): void {
    for (const write of this.#ifGoneOn.splice(0)) write()
  }
}

export class FakeRun {
  readonly #journal: FakeJournal
  readonly #abort = new AbortController()

  constructor(journal: FakeJournal) {
    this.#journal = journal
  }

  stop(reason: unknown): void {
    this.#abort.abort(reason)
  }

  stream<Chunk>(
    source: GivenSource<Chunk>,
    options: StreamOptions<Chunk> = {},
    name = 'answer',
  ): AsyncGenerator<Chunk, void, undefined> {
    const { logs, warnings } = this.#journal
    const ground = {
      codec,
      signal: this.#abort.signal,
      token: 7,
      page: new PageStays(),
      logs,
      onWarning: (warning: CheckpointerError) => void warnings.push(warning),
    }
    return openStream(ground, async () => this.#journal.entry(name), name, source, options)
  }
}
