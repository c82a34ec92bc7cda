import type { RunnableConfig } from '@langchain/core/runnables'
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  type PendingWrite,
  type SerializerProtocol,
} from '@langchain/langgraph-checkpoint'
import type { CheckpointerEvent, ThreadSummary } from '../../checkpoint.ts'
import type { Checkpointer } from '../../checkpointer/checkpointer.ts'
import type { Thread } from '../../checkpointer/thread.ts'
import type { ThreadsOptions } from '../../checkpointer/threads/list-threads.ts'
import { nextTask } from '../../platform/next-task.ts'
import { Turns } from '../../platform/turns.ts'
import { invalid, needCheckpointer, needList } from '../shared/needed.ts'
import { find, toTuple } from './find.ts'
import { fork } from './fork.ts'
import type { Lasts } from './serialised/lasts.ts'
import { Heads } from './heads.ts'
import { list } from './list.ts'
import { configOf, idIn, nameOf, needId, needPlace, placeOf, runIdIn, type Place } from './places.ts'
import { keptOf, store } from './put.ts'
import { storedPut, type ChannelForm, type Shown } from './stored.ts'
import { Steps } from './writes/steps.ts'
import { keepLatest } from './upkeep.ts'
import { nextVersion } from './versions.ts'
import { captureWrites, storedWrites } from './writes/writes.ts'

/** What `prune` leaves: the latest checkpoint of each namespace, or nothing. */
export interface PruneThreadsOptions {
  readonly strategy: 'keep_latest' | 'delete'
}

/**
 * Keeps what LangGraph.js saves in a checkpointer: `graph.compile({ checkpointer: new ForkpointSaver(checkpointer) })`.
 * Its threads, namespaces and ids are those of the checkpointer. `serde` is LangGraph's own unless another is given.
 */
export class ForkpointSaver extends BaseCheckpointSaver {
  readonly #checkpointer: Checkpointer
  /** The puts of each place. */
  readonly #turns = new Turns()
  readonly #heads = new Heads()
  readonly #own: SerializerProtocol | undefined
  #lasts: Lasts | undefined
  readonly #steps = new Steps()

  constructor(checkpointer: Checkpointer, serde?: SerializerProtocol) {
    super(serde)
    this.#own = serde ? undefined : this.serde
    this.#checkpointer = needCheckpointer(checkpointer)
  }

  /** The checkpoint that the config names, or else the one with the greatest id. */
  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const place = placeOf(config)
    if (!place) return undefined
    await this.#turns.ended(nameOf(place))
    const thread = this.#thread(place)
    const found = await find(thread, idIn(config))
    return found && toTuple(this.serde, thread, found)
  }

  /** The greatest id first; in all threads and namespaces that the config does not leave out. */
  override list(config: RunnableConfig, options?: CheckpointListOptions): AsyncGenerator<CheckpointTuple> {
    return list(this.#checkpointer, this.serde, config, options)
  }

  /** Everything is captured before this returns. Put again under the same id, it replaces what was there. */
  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions?: ChannelVersions,
  ): Promise<RunnableConfig> {
    const place = needPlace('put a checkpoint', config)
    const { id } = checkpoint
    const parent = idIn(config)
    const before = parent === id ? undefined : parent
    const captured = storedPut(this.serde, this.#channelForm(place), checkpoint, metadata, before)
    // Its caller is told when it has its turn; until then nobody listens, which would end a process on Node.
    captured.catch(() => {})
    const shown = shownOf(config, metadata)
    const tell = this.#steps.put(place, parent)
    try {
      await this.#turns.take(nameOf(place), async () => {
        const thread = this.#thread(place)
        const kept = await keptOf(thread, await captured, newVersions)
        const isNew = await store(this.#heads, thread, id, kept, shown)
        if (isNew) tell({ id, values: kept.state.values })
      })
    } finally {
      tell()
    }
    return configOf(place, id)
  }

  /**
   * A write of a task is kept once by its index; of errors, interrupts and the like the latest counts. With `taskPath`,
   * which later versions of LangGraph give, the writes of different tasks come back in the order of these paths.
   */
  override async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath = '',
  ): Promise<void> {
    const place = needPlace('put writes', config)
    const id = needId('put writes', config)
    await this.#steps.withWrites(place, id, async (waiting) => {
      const captured = await captureWrites(this.serde, writes)
      do {
        await this.#turns.ended(nameOf(place))
        // LangGraph does not wait for a put, and may put writes even before it calls that, behind another.
        await nextTask()
      } while (!waiting.child && this.#turns.isTaken(nameOf(place)))
      const stored = storedWrites(captured, await waiting.child, taskPath)
      await this.#thread(place).putWrites(id, taskId, stored)
    })
  }

  override async deleteThread(threadId: string): Promise<void> {
    await this.#checkpointer.thread(threadId).delete()
  }

  /** Does not use `this`: LangGraph may call it unbound. */
  override getNextVersion(current: number | undefined): number {
    return nextVersion(current)
  }

  /** Removes all but the latest checkpoint of each namespace, with its pending writes; or whole threads. */
  async prune(
    threadIds: readonly string[],
    { strategy }: PruneThreadsOptions = { strategy: 'keep_latest' },
  ): Promise<void> {
    if (strategy !== 'keep_latest' && strategy !== 'delete')
      throw invalid('strategy', "'keep_latest' or 'delete'")
    for (const id of needList('threadIds', threadIds)) {
      if (strategy === 'delete') await this.deleteThread(id)
      else await keepLatest(this.#checkpointer, this.serde, id)
    }
  }

  /** The whole thread again, under another id that is not in use. */
  async copyThread(sourceThreadId: string, targetThreadId: string): Promise<void> {
    await this.#checkpointer.thread(sourceThreadId).copy(targetThreadId)
  }

  /** Removes what these runs have saved (`run_id` in the metadata or the config), in all threads. */
  async deleteForRuns(runIds: readonly string[]): Promise<void> {
    needList('runIds', runIds)
    for await (const { id } of this.#checkpointer.threads())
      for (const runId of runIds) await this.#checkpointer.thread(id).deleteRun(runId)
  }

  /** A new thread that ends at a checkpoint, with its subgraphs; gives its id. */
  async fork(threadId: string, checkpointId: string, as?: string): Promise<string> {
    return fork(this.#checkpointer, this.serde, threadId, checkpointId, as)
  }

  /** The threads, the latest first. */
  threads(options?: ThreadsOptions): AsyncIterable<ThreadSummary> {
    return this.#checkpointer.threads(options)
  }

  /** Hears of every change, from any tab. Call what it returns to stop. */
  subscribe(listener: (event: CheckpointerEvent) => void): () => void {
    return this.#checkpointer.subscribe(listener)
  }

  #channelForm(place: Place): ChannelForm | undefined {
    // It comes behind; until it is there, and where it cannot be had, all is asked for.
    if (!this.#lasts)
      import('./serialised/lasts.ts').then(
        ({ Lasts }) => (this.#lasts ??= new Lasts(this.#own)),
        () => {},
      )
    return this.#lasts?.of(nameOf(place), this.serde)
  }

  #thread({ thread, namespace }: Place): Thread {
    return this.#checkpointer.thread(thread, { namespace })
  }
}

function shownOf(config: RunnableConfig, metadata: CheckpointMetadata): Shown {
  const runId = runIdIn(config, metadata)
  const { step, source }: Partial<CheckpointMetadata> = metadata
  return {
    ...(Number.isFinite(step) ? { step } : {}),
    ...(typeof source === 'string' ? { source } : {}),
    ...(runId === undefined ? {} : { runId }),
  }
}
