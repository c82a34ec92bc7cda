import { chainsOf, type Chain } from '../removal/chains.ts'
import { remove } from '../removal/removal.ts'
import { alwaysKept, isHeld, toRemove } from '../removal/rules.ts'
import type { ThreadFacts } from '../rows/thread-row.ts'
import type { Place, RemovedReply, RetentionRules } from '../host.ts'
import type { CheckpointRow } from '../rows/checkpoint-row.ts'
import type { Store } from '../store/store.ts'

/** Up to here a keyframe is written anew without a thought. */
const LIGHT = 64 * 1024
/** One commit takes so many, so that a save never waits for long. */
const BITE = 128

/**
 * Lets go of some of what the rules let go in one namespace of a thread; the reply says how many are left for the
 * next time, and when age lets go of more. `all`: also what would better wait. `isIdle`: nothing is added to it, as far
 * as is known. `beside`: as `remove` has it.
 */
export async function letGo(
  store: Store,
  { partition, place }: { readonly partition: string; readonly place: Place },
  rules: RetentionRules,
  { all = false, isIdle = false, beside }: LetGoOptions = {},
): Promise<RemovedReply & { readonly nextAt: number }> {
  const { thread, namespace } = place
  let nextAt = Number.POSITIVE_INFINITY
  const reply = await remove(
    store,
    partition,
    async (family, rows) => {
      const row = family.threads.find(({ facts }) => facts.thread === thread && facts.namespace === namespace)
      if (!row) return { losses: [] }
      const shown = await rows.shownBy(row.facts.segments)
      const goes = toRemove(shown, { ...atOnce(rules), ancestors: 'drop' }, row.facts)
      const stays = holding(shown, row.facts, rules, isIdle)
      nextAt = nextByAge(shown, goes, stays, rules)
      const seqs = all ? goes : withoutHeavy(shown, goes, stays)
      return { losses: [{ thread: row, shown, seqs }] }
    },
    { most: BITE, spread: 'here', ...(beside ? { beside } : {}) },
  )
  const seqs = reply.removed.map(({ seq }) => seq)
  if (seqs.length > 0) store.publish({ type: 'pruned', thread, namespace, seqs })
  return { ...reply, nextAt }
}

interface LetGoOptions {
  readonly all?: boolean
  readonly isIdle?: boolean
  readonly beside?: Place
}

/** With an age become an instant. */
function atOnce({ olderThan, ...rules }: RetentionRules): RetentionRules {
  return olderThan === undefined ? rules : { ...rules, olderThan: Date.now() - olderThan }
}

type Holds = (row: CheckpointRow) => boolean

/** What stays for good; of a thread that nothing is added to these are its newest too. */
function holding(
  shown: readonly CheckpointRow[],
  thread: ThreadFacts,
  rules: RetentionRules,
  isIdle: boolean,
): Holds {
  const newest = new Set(isIdle ? shown.slice(-Math.max(1, rules.keepLast ?? 0)) : [])
  const always = isIdle ? alwaysKept(shown, thread) : new Set<number>()
  return (row) => newest.has(row) || always.has(row.seq) || isHeld(row, rules)
}

/** When the next of them is too old. */
function nextByAge(
  shown: readonly CheckpointRow[],
  goes: ReadonlySet<number>,
  stays: Holds,
  { olderThan = Number.POSITIVE_INFINITY }: RetentionRules,
): number {
  const young = shown.filter((row) => !goes.has(row.seq) && !stays(row))
  return young.reduce(
    (at, { facts }) => Math.min(at, facts.createdAt + olderThan + 1),
    Number.POSITIVE_INFINITY,
  )
}

/**
 * What stands on a checkpoint that goes is put on another, or becomes a keyframe. Of a large state that is much to
 * write, and would be again with the next ones: such a chain goes only when nothing more of it will, so that it is
 * done once. Until then a few more checkpoints stay than were asked for.
 */
function withoutHeavy(shown: readonly CheckpointRow[], goes: ReadonlySet<number>, stays: Holds): Set<number> {
  const now = new Set<number>()
  for (const chain of chainsOf(shown))
    if (isLight(chain) || chain.every((row) => goes.has(row.seq) || stays(row)))
      for (const { seq } of chain) if (goes.has(seq)) now.add(seq)
  return now
}

const isLight = ([first]: Chain): boolean => (first?.facts.frame.whole ?? 0) <= LIGHT
