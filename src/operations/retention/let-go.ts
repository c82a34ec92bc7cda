import { chainsOf, type Chain } from '../removal/chains.ts'
import { remove } from '../removal/removal.ts'
import { isHeld, toRemove } from '../removal/rules.ts'
import type { Place, RemovedReply, RetentionRules } from '../host.ts'
import type { CheckpointRow } from '../rows/checkpoint-row.ts'
import type { Store } from '../store/store.ts'

/** Up to here a keyframe is written anew without a thought. */
const LIGHT = 64 * 1024
/** One commit takes so many, so that a save never waits for long. */
const BITE = 128

/**
 * Lets go of some of what the rules let go in one namespace of a thread; the reply says how many are left for the
 * next time. `all`: also what would better wait. `beside`: as `remove` has it.
 */
export async function letGo(
  store: Store,
  { partition, place }: { readonly partition: string; readonly place: Place },
  rules: RetentionRules,
  { all = false, beside }: { readonly all?: boolean; readonly beside?: Place } = {},
): Promise<RemovedReply> {
  const { thread, namespace } = place
  const reply = await remove(
    store,
    partition,
    async (family, rows) => {
      const row = family.threads.find(({ facts }) => facts.thread === thread && facts.namespace === namespace)
      if (!row) return { losses: [] }
      const shown = await rows.shownBy(row.facts.segments)
      const goes = toRemove(shown, { ...atOnce(rules), ancestors: 'drop' })
      return { losses: [{ thread: row, shown, seqs: all ? goes : withoutHeavy(shown, goes, rules) }] }
    },
    { most: BITE, ...(beside ? { beside } : {}) },
  )
  const seqs = reply.removed.map(({ seq }) => seq)
  if (seqs.length > 0) store.publish({ type: 'pruned', thread, namespace, seqs })
  return reply
}

/** With an age become an instant. */
function atOnce({ olderThan, ...rules }: RetentionRules): RetentionRules {
  return olderThan === undefined ? rules : { ...rules, olderThan: Date.now() - olderThan }
}

/**
 * What stands on a checkpoint that goes is put on another, or becomes a keyframe. Of a large state that is much to
 * write, and would be again with the next ones: such a chain goes only when nothing more of it will, so that it is
 * done once. Until then a few more checkpoints stay than were asked for.
 */
function withoutHeavy(
  shown: readonly CheckpointRow[],
  goes: ReadonlySet<number>,
  rules: RetentionRules,
): Set<number> {
  const now = new Set<number>()
  for (const chain of chainsOf(shown))
    if (isLight(chain) || isSettled(chain, goes, rules))
      for (const { seq } of chain) if (goes.has(seq)) now.add(seq)
  return now
}

const isLight = ([first]: Chain): boolean => (first?.facts.frame.whole ?? 0) <= LIGHT

/** What stays of it stays for good. */
const isSettled = (chain: Chain, goes: ReadonlySet<number>, rules: RetentionRules): boolean =>
  chain.every(({ seq, facts }) => goes.has(seq) || isHeld(seq, facts.label, rules))
