import type { Checkpoint, CheckpointFields, CheckpointInfo, Snapshot } from '../../checkpoint.ts'
import { CheckpointerError } from '../../errors.ts'
import type { At, Fenced, Host, Place, SaveRequest, StoredInfo } from '../../operations/host.ts'
import { randomId } from '../../ids.ts'
import type { Codec } from '../../state/codec.ts'
import { fromBytes } from '../../state/json-bytes.ts'
import { pauses } from '../../state/slices/pause.ts'
import { capture } from '../states/capture.ts'
import { withoutUndefined } from '../options/without-undefined.ts'
import { FIELDS, storedFields, toInfo } from '../states/fields.ts'
import { HISTORY, pages, type HistoryOptions } from './history.ts'
import { newId } from '../new-id.ts'
import type { KnownState, KnownStates } from '../states/known-states.ts'
import type { HeldLease, Lease, LeaseOptions } from '../leases/lease.ts'
import type { Leases } from '../leases/leases.ts'
import {
  checkFunction,
  checkIdAt,
  checkOptions,
  checkRef,
  checkSignal,
  invalid,
  type Names,
} from '../options/options.ts'
import { pruneRequest, type PruneOptions } from '../removals/prune-rules.ts'
import { deleteCheckpoints, deleteRun, prune, type LongRemoval, type Removed } from '../removals/removals.ts'
import { storedWrites } from './task-writes.ts'
import type { ForkOptions, LoadOptions, SaveOptions, TaskWrite, Thread, Which } from './thread.ts'
import { unfold } from '../states/unfold.ts'
import { untilAborted } from '../until-aborted.ts'
import type { UnsureCalls } from '../unsure/unsure-calls.ts'
import { refOf, whichAt } from './which.ts'
import type { Send, Writer } from '../saving/writer.ts'

const SAVE: Names<SaveOptions> = { ...FIELDS, id: true, parent: true, expect: true }
const LOAD: Names<LoadOptions> = { signal: true, onProgress: true }
const FORK: Names<ForkOptions<unknown>> = { at: true, edit: true, as: true, label: true }

const EXPECT_UNDEFINED =
  'expect is undefined: use `head?.seq ?? null` or `head?.id ?? null`, where null is for no head; or leave expect out.'

/** What all threads of a checkpointer share. */
export interface Shared {
  readonly host: Host
  readonly codec: Codec
  readonly known: KnownStates
  readonly saves: Writer
  readonly unsure: UnsureCalls
  readonly leases: Leases
}

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
    checkIdAt('namespace', 'A namespace', namespace, true)
    this.id = id
    this.namespace = namespace
    this.#shared = shared
    this.#place = { thread: id, namespace }
    this.#lease = own.lease
    this.#retention = own.retention
  }

  save(state: State, options: SaveOptions = {}): Promise<CheckpointInfo> {
    return this.#write((fence) =>
      this.#shared.saves.run(this.#place, (send) => this.#save(state, options, fence, send)),
    )
  }

  async #save(state: State, given: SaveOptions, fence: Fenced, send: Send): Promise<CheckpointInfo> {
    const options = checkOptions('save', given, SAVE)
    const { codec, known, unsure } = this.#shared
    const { parent, expect } = options
    if (parent !== undefined && parent !== null) checkRef('parent', parent, 'a seq, an id or null')
    if ('expect' in options && expect === undefined)
      throw new CheckpointerError('INVALID', EXPECT_UNDEFINED, { path: 'expect' })
    if (expect !== undefined && expect !== null) checkRef('expect', expect, 'a seq, an id or null')
    // Up to the first await all is synchronous: the state is captured, and requests leave in the order of calls.
    const start = known.find(this.#place, parent ?? undefined) ?? known.find(this.#place)
    if (options.id !== undefined) checkIdAt('id', 'id', options.id)
    const { checkpoint, state: encoded } = capture(codec, state, options, start)
    const asked = JSON.stringify({ fields: checkpoint.fields, parent, expect, id: options.id })
    const fresh = { key: newId(), asked, state: encoded }
    return unsure.save.call(this.#place, fresh, async ({ key }, again) => {
      if (!again) unsure.changed(this.#place)
      const next: KnownState = { id: options.id ?? key, key, state: encoded }
      const request: SaveRequest = {
        ...this.#place,
        ...fence,
        ...checkpoint,
        key,
        ...withoutUndefined({ id: options.id, parent, expect, retention: this.#retention }),
        ...(again ? { retry: true } : {}),
      }
      known.add(this.#place, next, true)
      try {
        const saved = await send({ request, state: encoded, start })
        known.placed(this.#place, key, saved.seq)
        return this.#info(saved)
      } catch (error) {
        known.forget(this.#place, key)
        throw error
      }
    })
  }

  async load(which?: Which, options: LoadOptions = {}): Promise<Checkpoint<State> | undefined> {
    const at = which === undefined ? undefined : this.#at('which', which)
    const { signal, onProgress } = checkOptions('load', options, LOAD)
    checkSignal(signal)
    checkFunction('onProgress', onProgress)
    return (await this.#load(at, { signal, onProgress }))?.checkpoint
  }

  async #load(
    at: At | undefined,
    { signal, onProgress }: LoadOptions = {},
  ): Promise<{ checkpoint: Checkpoint<State>; known: KnownState } | undefined> {
    const { host, codec, known, unsure } = this.#shared
    const shown = at ? undefined : unsure.looking(this.#place, known.find(this.#place)?.key)
    const ref = at && refOf(at)
    const mine = at && ref === undefined ? undefined : known.find(this.#place, ref)
    const request = { ...this.#place, ...(at ? { at } : {}), ...(mine ? { known: mine.key } : {}) }
    const reply = await untilAborted(signal, () => host.load(request))
    shown?.(reply?.info.key ?? reply?.info.id)
    if (!reply) return undefined
    const { info, frames, writes } = reply
    const pause = pauses(signal)
    const state = frames ? (await unfold(frames, pause, onProgress)).get(info.seq) : mine?.state
    if (state === undefined)
      throw new CheckpointerError('CORRUPT', `Checkpoint ${info.seq} came without its state.`, {
        ...this.#place,
        seq: info.seq,
      })
    const now: KnownState = { id: info.id, key: info.key ?? info.id, seq: info.seq, state }
    known.add(this.#place, now, at === undefined)
    const pendingWrites = writes.map(({ taskId, index, channel, body }) => {
      return { taskId, index, channel, value: codec.decode(fromBytes(body)) }
    })
    return {
      checkpoint: {
        ...this.#info(info),
        state: (await codec.decodeInSlices(state, pause)) as State,
        pendingWrites,
      },
      known: now,
    }
  }

  history(options: HistoryOptions & { readonly states: true }): AsyncIterable<Snapshot<State>>
  history(options?: HistoryOptions): AsyncIterable<CheckpointInfo>
  history(options: HistoryOptions = {}): AsyncIterable<CheckpointInfo> {
    const given = checkOptions('history', options, HISTORY)
    const { host, codec } = this.#shared
    const toInfo = (info: StoredInfo): CheckpointInfo => this.#info(info)
    return pages({ host, codec, place: this.#place, toInfo, named: (ref) => this.#named(ref) }, given)
  }

  async fork(options: ForkOptions<State> = {}): Promise<Thread<State>> {
    const { at: which, edit, ...names } = checkOptions<ForkOptions<State>>('fork', options, FORK)
    const { label = `fork-of:${this.id}` } = names
    if (names.as !== undefined) checkIdAt('as', 'A thread id', names.as)
    storedFields({ label }, this.#shared.codec)
    checkFunction('edit', edit)
    const at = which === undefined ? undefined : this.#at('at', which)
    const first = edit && (await this.#edited(edit, at, label))
    const point = first?.at ?? at
    const { host, known, unsure } = this.#shared
    const fresh = {
      key: newId(),
      asked: JSON.stringify({ at: point, label, as: names.as }),
      state: first?.known.state,
      as: names.as ?? randomId(),
    }
    const { head, as } = await unsure.fork.call(this.#place, fresh, async ({ key, as }) => {
      const request = { ...this.#place, as, label, createdAt: Date.now(), key }
      const reply = await host.fork({
        ...request,
        ...(point ? { at: point } : {}),
        ...(first ? { first: first.checkpoint } : {}),
      })
      return { head: reply.head, as }
    })
    const twin = new StoredThread<State>(this.#shared, as, this.namespace, { retention: this.#retention })
    const mine = first?.known ?? known.find(this.#place, head.id)
    if (mine?.key === (head.key ?? head.id)) known.add(twin.#place, { ...mine, seq: head.seq }, true)
    return twin
  }

  /** The fork point's state after the caller's edit, as the first checkpoint of the fork. */
  async #edited(edit: NonNullable<ForkOptions<State>['edit']>, at: At | undefined, label: string) {
    const loaded = await this.#load(at)
    if (!loaded)
      throw new CheckpointerError(
        'NOT_FOUND',
        `Thread '${this.id}' has no such checkpoint to fork.`,
        this.#place,
      )
    const { checkpoint: origin, known: start } = loaded
    const returned: unknown = await edit(origin.state)
    // `draft => draft.n++` returns a number: nobody means that to be the state.
    const isOther = typeof returned !== typeof origin.state || (returned === null && origin.state !== null)
    if (returned !== undefined && isOther)
      throw invalid('edit', 'a whole state, or nothing when it has changed the draft', 'What edit returns')
    const state = returned === undefined ? origin.state : returned
    const { node, next, step, workflow, path, extra } = origin
    const fields: CheckpointFields = {
      ...withoutUndefined({ node, next, step, workflow, path, extra }),
      label,
      source: 'fork',
    }
    const captured = capture(this.#shared.codec, state, fields, start)
    const key = newId()
    return {
      checkpoint: { ...captured.checkpoint, key },
      known: { id: key, key, state: captured.state },
      at: { seq: origin.seq },
    }
  }

  async copy(as: string): Promise<Thread<State>> {
    checkIdAt('as', 'A thread id', as)
    const { host, unsure } = this.#shared
    await unsure.copy.call(this.#place, { key: newId(), asked: as }, ({ key }) =>
      host.copy({ thread: this.id, as, createdAt: Date.now(), key }),
    )
    return new StoredThread<State>(this.#shared, as, this.namespace, { retention: this.#retention })
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

  #named(ref: number | string): number | string {
    return this.#shared.saves.named(this.#place, ref)
  }

  #at(path: string, which: Which): At {
    const at = whichAt(path, which)
    const named = 'seq' in at ? this.#named(at.seq) : undefined
    return typeof named === 'string' ? { id: named } : at
  }

  /** Whatever changes this thread: under the lease, if this handle has one. Begins without a pause. */
  #write<T>(work: (fence: Fenced) => Promise<T>): Promise<T> {
    return this.#lease ? this.#lease.write(work) : work({})
  }

  #info(info: StoredInfo): CheckpointInfo {
    return toInfo(this.#shared.codec, this.#place, info)
  }
}
