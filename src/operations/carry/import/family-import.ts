import { CheckpointerError } from '../../../errors.ts'
import { toBytesInSlices } from '../../../state/slices/encode.ts'
import { timeToPut, type Pause } from '../../../state/slices/pause.ts'
import { parseInSlices } from '../../../state/slices/parse.ts'
import { Soundness } from '../../../state/sound.ts'
import { checkpointKey, stagedKey, writeKey } from '../../../storage/keys.ts'
import { compareKeys, type Key } from '../../../storage/storage.ts'
import { newestFirst } from '../../store/find.ts'
import { isLong } from '../../frames/compact.ts'
import { checkpointPutsInSlices, deltaFrame, keyframe } from '../../rows/checkpoint-row.ts'
import { laneOf, shows, type Segment } from '../../rows/lanes.ts'
import { seal } from '../../rows/seal.ts'
import { countable } from '../../rows/countable.ts'
import { withWrites, type ThreadFacts } from '../../rows/thread-row.ts'
import type { Store } from '../../store/store.ts'
import { writePuts } from '../../rows/write-row.ts'
import type { CheckpointLine, WriteLine } from '../lines.ts'
import { Gaps } from './gaps.ts'
import { lineageOf, mayStandOn, type Plan, type PlannedLane, type PlannedThread } from './plan.ts'
import { Shown } from '../shown.ts'
import { Stage } from './stage.ts'
import { Growth } from '../../frames/growth.ts'
import { readState, RecentStates, type HeldState } from '../../frames/recent-states.ts'

/** Counts what is stored against what an import may take. */
export type Spend = (bytes: number) => void

/** Checks the rows of one family, each against those before it, and stages them. */
export class FamilyImport {
  /** Rows have come that nobody shows: they are swept when all else is there. */
  hasUnshown = false
  readonly #store: Store
  readonly #stage: Stage
  readonly #plan: Plan
  readonly #soundness = new Soundness()
  readonly #growth = new Growth()
  readonly #spend: Spend
  readonly #pause: Pause
  readonly #shown: Shown
  readonly #gaps = new Map<number, Gaps>()
  readonly #recent = new RecentStates()
  readonly #writes = new Map<string, WritesCome>()

  constructor(store: Store, partition: string, plan: Plan, spend: Spend, pause: Pause) {
    this.#store = store
    this.#stage = new Stage(store, partition)
    this.#plan = plan
    this.#spend = spend
    this.#pause = pause
    this.#shown = new Shown(plan.threads.map(({ line, segments }) => ({ segments, next: line.next })))
  }

  get partition(): string {
    return this.#stage.partition
  }

  async checkpoint({ lane: number, facts, base }: CheckpointLine, payload: Uint8Array): Promise<void> {
    const lane = this.#laneFor(number)
    const { seq } = facts
    const gaps = this.#gapsOf(number, lane)
    if (seq <= gaps.last) throw wrong('its seq is out of order')
    if (lane.owner && seq >= lane.owner.line.next) throw wrong('its seq is beyond those of its thread')
    if (facts.parent && facts.parent.seq >= seq) throw wrong('it comes before its parent')
    gaps.pass(seq)
    for (const [, value] of facts.extra ?? []) await this.#soundness.check(value, this.#pause)
    const on = base && (await this.#base(number, seq, base))
    const parsed = await parseInSlices(payload, this.#pause)
    const state = await this.#growth.grow(on?.state, parsed, this.#pause)
    const isDelta = on && base && !isLong(on.facts.frame)
    // A chain that has become long gets a keyframe, as one that is saved does: so none is ever endless.
    const body = on && !isDelta ? await toBytesInSlices(state, this.#pause) : payload
    this.#spend(body.length)
    const frame = isDelta
      ? deltaFrame(this.#laneFor(base[0]).name, on.facts, body.length)
      : keyframe(seq, body.length)
    await this.#pause()
    const placed = await checkpointPutsInSlices(
      this.#store.storage.limits,
      this.partition,
      lane.name,
      { ...facts, frame },
      body,
      this.#pause,
    )
    await this.#pause(timeToPut(body.length))
    await this.#stage.add(placed.puts)
    this.#recent.add(lane.name, { facts: placed.facts, state })
    this.hasUnshown ||= !this.#shown.has(lane.name, seq)
  }

  async write(line: WriteLine, body: Uint8Array): Promise<void> {
    const { lane: number, seq, taskId, index, channel } = line
    const made = countable(Math.min(line.made ?? line.at, line.at))
    const at = Math.max(made, countable(line.at))
    const lane = this.#laneFor(number)
    const { owner } = lane
    if (!owner || seq >= owner.line.next) throw wrong('it belongs to no checkpoint')
    const { lane: shown } = laneOf(owner.segments, seq)
    if (!shows(owner.segments, shown, seq)) throw wrong('it belongs to no checkpoint')
    await this.#soundness.check(await parseInSlices(body, this.#pause), this.#pause)
    this.#spend(body.length)
    this.#stage.need(checkpointKey(shown, seq))
    const write = { taskId, index, channel, body, made }
    const { count, wrote, last } = this.#writes.get(lane.name) ?? NO_WRITES
    const key = writeKey(lane.name, seq, taskId, index)
    // So none comes twice.
    if (last && compareKeys(key, last) <= 0) throw wrong('it is out of order')
    this.#writes.set(lane.name, { count: count + 1, wrote: Math.max(wrote, at), last: key })
    await this.#stage.add(
      writePuts(this.#store.storage.limits, this.partition, { lane: lane.name, seq }, { at, write }),
    )
  }

  /** All rows are there: the threads' own are made, and laid aside until the whole file is known to be good. */
  async finish(): Promise<void> {
    await this.#stage.flush()
    const heads = new Map<PlannedThread, ThreadFacts>()
    for (const thread of this.#plan.threads) {
      heads.set(thread, await this.#factsOf(thread))
      await this.#pause()
    }
    const others = new Set(
      [...heads.values()].flatMap((facts) => (facts.namespace !== '' && facts.head ? facts.thread : [])),
    )
    let number = 0
    for (const facts of heads.values()) {
      const isOther = facts.namespace === '' && others.has(facts.thread)
      const key = stagedKey(number++)
      const head = seal(this.partition, 'meta', key, { ...facts, ...(isOther ? { others: true } : {}) })
      await this.#stage.add([{ table: 'meta', key, head }])
    }
    await this.#stage.flush()
  }

  async #factsOf({ line, segments: shown }: PlannedThread): Promise<ThreadFacts> {
    const { thread, namespace, createdAt, updatedAt, next, label, forkOf } = line
    const segments = shown.map((segment, i): Segment => {
      const number = line.segments[i]?.lane ?? -1
      const gone = this.#gapsOf(number, this.#laneFor(number)).upTo(segment.to ?? next - 1)
      return gone.length > 0 ? { ...segment, gone } : segment
    })
    const own = segments.at(-1)?.lane ?? ''
    const bare: ThreadFacts = {
      thread,
      namespace,
      createdAt,
      updatedAt,
      segments,
      next,
      lane: own,
      ...(label === undefined ? {} : { label }),
      ...(forkOf ? { forkOf } : {}),
    }
    const { count, wrote } = this.#writes.get(own) ?? NO_WRITES
    const facts = withWrites(bare, count, count > 0 ? wrote : undefined)
    const row = { partition: this.partition, version: '', facts }
    for await (const { facts: head } of newestFirst(this.#store, row, { page: 4 })) return { ...facts, head }
    return facts
  }

  #gapsOf(number: number, { from }: PlannedLane): Gaps {
    const gaps = this.#gaps.get(number) ?? new Gaps(from)
    this.#gaps.set(number, gaps)
    return gaps
  }

  #laneFor(number: number): PlannedLane {
    const lane = this.#plan.lanes.get(number)
    if (!lane) throw wrong('no thread shows its lane')
    return lane
  }

  async #base(number: number, seq: number, base: readonly [lane: number, seq: number]): Promise<HeldState> {
    if (!mayStandOn(this.#plan, { lane: number, seq }, base)) throw wrong('it cannot stand on what it names')
    const { name } = this.#laneFor(base[0])
    const recent = this.#recent.get(name, base[1])
    if (recent) return recent
    await this.#stage.flush()
    const lineage = lineageOf(this.#plan, base[0])
    const found = await readState(this.#store, this.partition, lineage, name, base[1], this.#pause)
    if (!found) throw wrong('what it stands on is not there')
    this.#recent.add(name, found)
    return found
  }
}

/** How many pending writes have come for a lane, when the latest of them was written, and which came last. */
interface WritesCome {
  readonly count: number
  readonly wrote: number
  readonly last?: Key
}

const NO_WRITES: WritesCome = { count: 0, wrote: Number.NEGATIVE_INFINITY }

const wrong = (why: string): CheckpointerError => new CheckpointerError('CORRUPT', why)
