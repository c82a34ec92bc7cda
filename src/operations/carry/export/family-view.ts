import { CheckpointerError } from '../../../errors.ts'
import { unescapeId } from '../../../storage/keys.ts'
import { readFamily } from '../../store/family.ts'
import { stretches, type Ranges, type Segment } from '../../rows/lanes.ts'
import { isListed, type ThreadFacts } from '../../rows/thread-row.ts'
import { knownForkPoint } from '../../shapes/checkpoints.ts'
import type { Store } from '../../store/store.ts'
import type { ThreadLine } from '../lines.ts'
import { Shown } from '../shown.ts'

interface ViewedLane {
  readonly name: string
  /** Which of its rows may be shown. */
  readonly from: number
  readonly to: number
  /** What the rows in it may stand on: the lanes before it, then itself. */
  readonly lineage: readonly Segment[]
}

/** What is exported of one family, at one moment: some of its threads, and the lanes that they show. */
export class FamilyView {
  readonly partition: string
  readonly threads: readonly ThreadFacts[]
  /** Those that others stand on come first. Their place is their number in the file. */
  readonly lanes: readonly ViewedLane[]
  readonly #shown: Shown
  readonly #numbers: ReadonlyMap<string, number>
  #version: string | undefined

  private constructor(partition: string, threads: readonly ThreadFacts[], version: string | undefined) {
    this.partition = partition
    this.threads = threads
    this.lanes = lanesOf(threads)
    this.#shown = new Shown(threads)
    this.#numbers = new Map(this.lanes.map(({ name }, number) => [name, number]))
    this.#version = version
  }

  /** Of all threads when none are named. A row that cannot be read is refused, or told and left out. */
  static async read(
    store: Store,
    partition: string,
    wanted: ReadonlySet<string> | undefined,
    leaveOut: boolean,
  ): Promise<FamilyView> {
    const family = await readFamily(store, partition)
    const isWanted = (thread: string): boolean => !wanted || wanted.has(thread)
    const damaged = new Set(family.damaged.map(({ key }) => unescapeId(key[0] as string)).filter(isWanted))
    for (const thread of damaged) {
      const message = `Thread '${thread}' cannot be exported: its row is damaged.`
      const error = new CheckpointerError('CORRUPT', message, { thread })
      if (!leaveOut) throw error
      store.warn(error)
    }
    const facts = family.threads.map((row) => row.facts)
    const listed = new Set(facts.filter(isListed).map(({ thread }) => thread))
    const threads = facts.filter(
      ({ thread }) => isWanted(thread) && listed.has(thread) && !damaged.has(thread),
    )
    return new FamilyView(partition, threads, family.version)
  }

  /** Whether any of these threads does. */
  shows(lane: string, seq: number): boolean {
    return this.#shown.has(lane, seq)
  }

  /** The first seqs in this range whose rows must be there. */
  expected(lane: string, from: number, to: number): Ranges[number] | undefined {
    return this.#shown.expected(lane, from, to)
  }

  numberOf(lane: string): number {
    return this.#numbers.get(lane) ?? -1
  }

  threadLine(facts: ThreadFacts): ThreadLine {
    const { thread, namespace, createdAt, updatedAt, next, label, forkOf } = facts
    // What is gone shows in the file by what is not in it.
    const segments = facts.segments.map(({ lane, to, hide }) => {
      const number = this.numberOf(lane)
      return { lane: number, ...(to === undefined ? {} : { to }), ...(hide ? { hide } : {}) }
    })
    return {
      kind: 'thread',
      thread,
      namespace,
      createdAt,
      updatedAt,
      next,
      segments,
      ...(label === undefined ? {} : { label }),
      ...(forkOf ? { forkOf: knownForkPoint(forkOf) } : {}),
    }
  }

  /**
   * Whether all that these threads showed is still there: `version` is that of the family's row, read beside some
   * rows. Forks, new namespaces and removals elsewhere in the family change nothing here.
   */
  async holds(store: Store, version: string | undefined): Promise<boolean> {
    if (version === this.#version) return true
    const family = await readFamily(store, this.partition)
    const now = new Map(family.threads.map(({ facts }) => [facts.lane, facts.segments]))
    const same = this.threads.every(
      ({ lane, segments }) => JSON.stringify(now.get(lane)) === JSON.stringify(segments),
    )
    if (same) this.#version = version
    return same
  }
}

function lanesOf(threads: readonly ThreadFacts[]): ViewedLane[] {
  const lanes = new Map<string, ViewedLane>()
  for (const { segments, next } of threads) {
    stretches(segments).forEach(({ lane, from, to = next - 1 }, i) => {
      const known = lanes.get(lane)
      lanes.set(lane, {
        name: lane,
        // No checkpoint has the seq 0.
        from: Math.max(1, from),
        to: Math.max(to, known?.to ?? 0),
        lineage: known?.lineage ?? [...segments.slice(0, i), { lane }],
      })
    })
  }
  return [...lanes.values()].sort((a, b) => a.lineage.length - b.lineage.length)
}
