import type { Checkpoint, CheckpointInfo, Snapshot } from '../checkpoint.ts'
import type { Fenced, Place, SaveRequest } from '../operations/host.ts'
import type { HeldLease, Lease, LeaseOptions } from './leases/lease.ts'
import { later } from './later.ts'
import { newId } from './new-id.ts'
import { checkIdAt, checkNamespaceAt, checkOptions, checkRef } from './options/options.ts'
import { pruneRequest, type PruneOptions } from './removals/prune-rules.ts'
import { deleteCheckpoints, deleteRun, prune, type LongRemoval, type Removed } from './removals/removals.ts'
import type { RunInfo } from './runs/seen/run-info.ts'
import type { AnswerOptions, Loop, RunEnd, RunOptions } from './runs/types.ts'
import type { WatchEvent } from './runs/watch/events.ts'
import { followThread, type WatchOptions } from './runs/watch/follow.ts'
import { toInfo } from './states/fields.ts'
import { fork } from './threads/fork.ts'
import { HISTORY, pages, type HistoryOptions } from './threads/history.ts'
import { checkLoad, load } from './threads/load.ts'
import { captured } from './threads/save.ts'
import type { Shared } from './threads/shared.ts'
import { storedWrites } from './threads/task-writes.ts'
import type { Thread } from './thread.ts'
import type { ForkOptions, LoadOptions, SaveOptions, TaskWrite, Which } from './threads/types.ts'
import { storedAt } from './threads/which.ts'

/** What one handle has of its own. */
interface OwnSettings {
  readonly lease?: HeldLease
  readonly retention?: SaveRequest['retention'] | undefined
}

export class StoredThread<State> implements Thread<State> {
  readonly id: string
  readonly namespace: string
  readonly #shared: Shared
  readonly #place: Place
  readonly #retention: OwnSettings['retention']
  #lease: HeldLease | undefined

  constructor(shared: Shared, id: string, namespace: string, own: OwnSettings = {}) {
    checkIdAt('id', 'A thread id', id)
    checkNamespaceAt('namespace', namespace)
    this.id = id
    this.namespace = namespace
    this.#shared = shared
    this.#place = { thread: id, namespace }
    this.#lease = own.lease
    this.#retention = own.retention
  }

  save(state: State, options: SaveOptions = {}): Promise<CheckpointInfo> {
    const retention = this.#retention
    return this.#write((fence) =>
      // Up to the first await all is synchronous: the state is captured, and requests leave in the order of calls.
      this.#shared.saves.run(this.#place, async (send) =>
        captured(this.#shared, this.#place, state, options, { retention })(fence, send),
      ),
    )
  }

  async load(which?: Which, options: LoadOptions = {}): Promise<Checkpoint<State> | undefined> {
    const at = which === undefined ? undefined : storedAt(this.#shared, this.#place, 'which', which)
    const loaded = await load<State>(this.#shared, this.#place, at, checkLoad(options))
    return loaded?.checkpoint
  }

  history(options: HistoryOptions & { readonly states: true }): AsyncIterable<Snapshot<State>>
  history(options?: HistoryOptions): AsyncIterable<CheckpointInfo>
  history(options: HistoryOptions = {}): AsyncIterable<CheckpointInfo> {
    const given = checkOptions('history', options, HISTORY)
    const { host, codec } = this.#shared
    const place = this.#place
    return pages({ host, codec, place, named: (ref) => this.#named(ref) }, given)
  }

  async heads(): Promise<readonly CheckpointInfo[]> {
    const { heads } = await this.#shared.host.heads(this.#place)
    return heads.map((info) => toInfo(this.#shared.codec, this.#place, info))
  }

  async chooseHead(ref: number | string): Promise<CheckpointInfo> {
    checkRef('ref', ref)
    const to = this.#named(ref)
    this.#shared.unsure.changed(this.#place)
    const chosen = await this.#write((fence) =>
      this.#shared.host.chooseHead({ ...this.#place, ...fence, to }),
    )
    return toInfo(this.#shared.codec, this.#place, chosen)
  }

  async namespaces(): Promise<readonly string[]> {
    return this.#shared.host.namespaces({ thread: this.id })
  }

  async fork(options: ForkOptions<State> = {}): Promise<Thread<State>> {
    return this.#twin(await fork(this.#shared, this.#place, options))
  }

  async copy(as: string): Promise<Thread<State>> {
    checkIdAt('as', 'A thread id', as)
    const { host, unsure } = this.#shared
    await unsure.copy.call(this.#place, { key: newId(), asked: as }, ({ key }) =>
      host.copy({ thread: this.id, as, createdAt: Date.now(), key }),
    )
    return this.#twin(as)
  }

  async prune(options: PruneOptions): Promise<Removed> {
    const { request, removal } = pruneRequest(this.#place, options)
    if (!request.dryRun) this.#shared.unsure.removed(this.id)
    return this.#write((fence) => prune(this.#shared.host, { ...request, ...fence }, removal))
  }

  async deleteCheckpoints(refs: readonly (number | string)[], options: LongRemoval = {}): Promise<Removed> {
    const named = Array.isArray(refs) ? refs.map((ref) => this.#named(ref)) : refs
    this.#shared.unsure.removed(this.id)
    return this.#write((fence) =>
      deleteCheckpoints(this.#shared.host, { ...this.#place, ...fence }, named, options),
    )
  }

  async deleteRun(runId: string, options: LongRemoval = {}): Promise<Removed> {
    checkIdAt('runId', 'A run id', runId)
    this.#shared.unsure.removed(this.id)
    return this.#write((fence) => deleteRun(this.#shared.host, { thread: this.id, ...fence }, runId, options))
  }

  async delete(): Promise<boolean> {
    this.#shared.known.forgetThread(this.id)
    this.#shared.unsure.deleted(this.id)
    return this.#write((fence) => this.#shared.host.deleteThread({ thread: this.id, ...fence }))
  }

  async putWrites(checkpoint: number | string, taskId: string, writes: readonly TaskWrite[]): Promise<void> {
    checkRef('checkpoint', checkpoint)
    checkIdAt('taskId', 'A task id', taskId)
    const named = this.#named(checkpoint)
    const stored = storedWrites(taskId, writes, this.#shared.codec)
    this.#shared.unsure.changed(this.#place)
    await this.#write((fence) =>
      this.#shared.host.putWrites({ ...this.#place, ...fence, checkpoint: named, writes: stored }),
    )
  }

  async lease(options: LeaseOptions = {}): Promise<Lease> {
    this.#lease = await this.#shared.leases.take(this.id, options)
    return this.#lease
  }

  async run<Result>(
    options: RunOptions<State>,
    loop: (loop: Loop<State>) => Result | PromiseLike<Result>,
  ): Promise<RunEnd<Awaited<Result>>> {
    const { runLoop, threadGround } = await later()
    return runLoop(threadGround<State>(this.#shared, this.#place, this.#own()), options, loop)
  }

  async answer(value: unknown, options: AnswerOptions = {}): Promise<void> {
    const { answer, threadGround } = await later()
    return answer(threadGround<State>(this.#shared, this.#place, this.#own()), value, options)
  }

  async latestRun(): Promise<RunInfo | undefined> {
    return (await later()).latestRun(this.#shared, this.#place)
  }

  watch(options: WatchOptions = {}): AsyncIterable<WatchEvent<State>> {
    const followed = { ...this.#shared, place: this.#place, load: () => this.load() }
    return followThread(followed, options)
  }

  #own() {
    return { lease: this.#lease, retention: this.#retention }
  }

  #named(ref: number | string): number | string {
    return this.#shared.saves.named(this.#place, ref)
  }

  #twin(as: string): Thread<State> {
    return new StoredThread<State>(this.#shared, as, this.namespace, { retention: this.#retention })
  }

  /** Whatever changes this thread: under the lease, if this handle has one. Begins without a pause. */
  #write<T>(work: (fence: Fenced) => Promise<T>): Promise<T> {
    return this.#lease ? this.#lease.write(work) : work({})
  }
}
