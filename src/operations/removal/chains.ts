import { rowName } from '../frames/frames.ts'
import type { CheckpointRow } from '../rows/checkpoint-row.ts'
import type { ThreadLoss } from './losses.ts'

/** Rows that stand on one keyframe, oldest first. */
export type Chain = readonly CheckpointRow[]

/** What a thread shows, oldest first, parted by the keyframe that each is built on. */
export function chainsOf(shown: readonly CheckpointRow[]): Chain[] {
  const chains = new Map<string, CheckpointRow[]>()
  const roots = new Map<string, string>()
  for (const row of shown) {
    const name = rowName(row.lane, row.seq)
    const { base } = row.facts.frame
    // A base that is not shown any more still tells its own from others.
    const below = base ? rowName(...base) : name
    const root = roots.get(below) ?? below
    roots.set(name, root)
    const chain = chains.get(root)
    if (chain) chain.push(row)
    else chains.set(root, [row])
  }
  return [...chains.values()]
}

/**
 * The part of some losses that goes first: so many rows at most, and if it can be all that goes of a chain, so that
 * what stands on it is moved down once and not again with every part. Of a chain too long for that the newest go
 * first: what stands on them is then put on what is left, and becomes a keyframe only in the end.
 */
export function firstPart(losses: readonly ThreadLoss[], most: number): ThreadLoss[] {
  let room = most
  return losses.map((loss) => {
    const seqs = new Set<number>()
    for (const chain of chainsOf(loss.shown)) {
      const going = chain.filter(({ seq }) => loss.seqs.has(seq))
      if (going.length > room && room < most) break
      for (const { seq } of going.slice(-room)) seqs.add(seq)
      room -= Math.min(room, going.length)
      if (room === 0) break
    }
    return { ...loss, seqs }
  })
}
