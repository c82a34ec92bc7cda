import { CheckpointerError } from '../../errors.ts'
import type { Host, SyncListed, SyncNote } from '../../operations/host.ts'
import type { Asked } from './heeded.ts'
import type { Tally } from './tally.ts'

const PAGE = 100
/** Whoever lists without an end is not listened to for ever. */
const MOST_PAGES = 20_000

/**
 * The threads that either side has, or has deleted, without those of which both know that nothing is to be done: neither
 * has changed since it was so. Of each no more is held than its name and a stamp.
 */
export async function threadsToSync(
  mine: Host,
  theirs: Asked,
  isBoth: boolean,
  tally: Tally,
): Promise<string[]> {
  const here = await listed(mine, tally)
  const there = await listed(theirs, tally)
  const all = [...new Set([...there.keys(), ...here.keys()])]
  if (!isBoth) return all
  const left: string[] = []
  for (let at = 0; at < all.length; at += PAGE) {
    tally.rest()
    const some = all.slice(at, at + PAGE)
    const known = some.filter((thread) => there.get(thread)?.store)
    const of = known.map((thread) => ({ thread, store: there.get(thread)?.store ?? '' }))
    const notes = of.length > 0 ? await mine.syncRecall({ of }) : []
    const noted = new Map(known.map((thread, i) => [thread, notes[i]]))
    left.push(...some.filter((thread) => !isQuiet(noted.get(thread), here.get(thread), there.get(thread))))
  }
  return left
}

const isQuiet = (note: SyncNote | null | undefined, here?: SyncListed, there?: SyncListed): boolean =>
  note?.theirs !== undefined && note.theirs === there?.stamp && note.mine === here?.stamp

async function listed(host: Asked, tally: Tally): Promise<Map<string, SyncListed>> {
  const all = new Map<string, SyncListed>()
  let after: Parameters<Host['syncList']>[0]['after']
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    tally.rest()
    const { items, next } = await host.syncList({ limit: PAGE, ...(after ? { after } : {}) })
    for (const item of items) all.set(item.thread, item)
    if (!next) return all
    after = next
  }
  throw new CheckpointerError(
    'UNSUPPORTED',
    `More than ${MOST_PAGES * PAGE} threads are too many to be compared at once: name those that are meant, as \`threads\`.`,
    { outcome: 'none' },
  )
}
