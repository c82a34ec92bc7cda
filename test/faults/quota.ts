import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { startBrowser, type RealBrowser } from './support/browser.ts'
import { broken, type Figures, type Proof, type ProofContext } from './support/proof.ts'
import { roomOf } from './support/quota.ts'
import { openSite } from './support/site.ts'

const LEAST_ROOM = 1_000_000
const MORE_ROOM = 5_000_000
/** With a policy there must be something to let go of, beside what it keeps, */
const LEAST_FOR_POLICY = 3_000_000
const KEEP = 2
/** and saves of this size need more room than there is. */
const TOO_LARGE = 400_000
/** A removal says in a few rows what went. With less than this left browsers take deletions alone. */
const ROOM_TO_SAY = 30_000

/** A quarter of them, so that it can be expected of some. */
const ENOUGH_ROUNDS = 12

const hasPolicy = (round: number): boolean => round % 4 === 1

/** What is opened. */
interface Opened {
  readonly name: string
  readonly worker: 'auto' | false
}

type MadeRoom = Awaited<ReturnType<typeof loads.haveRoomMade>>

/**
 * They go through, and what went is told; or the browser itself says that there is no room even to say what goes. Where
 * one still fitted, the background may have let go of enough in time.
 */
function judgePolicy(
  round: number,
  limit: number,
  made: MadeRoom,
): 'made room' | 'let go in time' | 'at its limit' {
  const { refusal, warnings, before, after, problems, used = 0 } = made
  const about = { limit, ...made }
  if (problems > 0 || after.length === 0) throw broken(`round ${round}, with a policy`, about)
  if (!refusal) {
    if (after.length >= before.length || (after[0] ?? 0) <= (before[0] ?? 0))
      throw broken(`round ${round}, room was made of nothing`, about)
    return warnings.includes('QUOTA') ? 'made room' : 'let go in time'
  }
  const isWhole = refusal.code === 'QUOTA' && refusal.outcome === 'none'
  if (!isWhole || limit - used > ROOM_TO_SAY)
    throw broken(`round ${round}, refused in spite of a policy`, about)
  return 'at its limit'
}

/** The room of the site ends at a random point of a load; all must be as it was, and go on when there is room again. */
export default {
  promise: 'what finds no room is refused whole, and goes through when there is room again',
  rounds: { short: 2, long: 50 },
  on: ['chromium', 'chromium-sqlite', 'firefox'],
  shortElsewhere: { rounds: 1, on: ['chromium-sqlite', 'firefox'] },
  elsewhere: { webkit: 'nobody can set its quota' },
  async run(context) {
    const { ground, folder, random, rounds } = context
    if (ground === 'firefox') return inFirefox(context)
    const site = await openSite()
    const browser = await startBrowser(ground, join(folder, 'profile'))
    const sums = {
      refused: 0,
      'steps before': 0,
      'with figures': 0,
      'made room': 0,
      'let go in time': 0,
      'at its limit': 0,
    }
    try {
      for (let round = 0; round < rounds; round++) {
        const page = await browser.open(site.url)
        const room = await roomOf(page)
        await room.lift()
        // Chromium remembers for half a minute how much room it saw, unless all is closed by force.
        await room.evict()
        const limit = (hasPolicy(round) ? LEAST_FOR_POLICY : LEAST_ROOM) + Math.floor(random() * MORE_ROOM)
        await room.limit(limit)
        const numbers = Array.from({ length: 50 }, random)
        const options = {
          name: `full ${round}`,
          worker: (round + (round >> 2)) % 2 === 0 ? ('auto' as const) : (false as const),
        }
        const found = await fill(page, round, options, numbers)
        const { refusal, same, problems, steps } = found
        if (refusal.code !== 'QUOTA' || refusal.outcome !== 'none' || !same || problems > 0)
          throw broken(`round ${round}`, found)
        if (hasPolicy(round)) sums[judgePolicy(round, limit, await makeRoom(page, options))]++
        await room.lift()
        const after = await page.evaluate(() => loads.goOn())
        if (after.problems > 0) throw broken(`round ${round}, afterwards`, after)
        sums.refused++
        sums['steps before'] += steps
        if (refusal.usage?.quota !== undefined) sums['with figures']++
        await page.close()
      }
      judgeAll(sums, rounds)
      return sums
    } finally {
      await browser.close()
      await site.close()
    }
  },
} satisfies Proof

function fill(
  page: Page,
  round: number,
  options: Opened,
  numbers: readonly number[],
): ReturnType<typeof loads.workUntilFull> {
  const given = [options, numbers] as const
  if (hasPolicy(round)) return page.evaluate(([open, list]) => loads.saveUntilFull(open, list), given)
  return page.evaluate(([open, list]) => loads.workUntilFull(open, list), given)
}

const makeRoom = (page: Page, options: Opened): Promise<MadeRoom> =>
  page.evaluate(([open, how]) => loads.haveRoomMade(open, how), [
    options,
    { keepLast: KEEP, size: TOO_LARGE },
  ] as const)

/** Of several, not all may have come to the very limit. */
function judgeAll(sums: { readonly 'made room': number }, rounds: number): void {
  if (rounds >= ENOUGH_ROUNDS && sums['made room'] === 0) throw broken('no policy has made room', sums)
}

/** Firefox is told its room when it starts: it is started with little, and again with as much as there is. */
async function inFirefox({ ground, folder, random, rounds }: ProofContext): Promise<Figures> {
  const site = await openSite()
  const sums = { refused: 0, 'steps before': 0, 'made room': 0, 'let go in time': 0, 'at its limit': 0 }
  try {
    for (let round = 0; round < rounds; round++) {
      const profile = join(folder, `profile-${round}`)
      const room = (hasPolicy(round) ? LEAST_FOR_POLICY : LEAST_ROOM) + Math.floor(random() * MORE_ROOM)
      const numbers = Array.from({ length: 50 }, random)
      const options = {
        name: 'full',
        worker: (round + (round >> 2)) % 2 === 0 ? ('auto' as const) : (false as const),
      }
      const prefs = { 'dom.quotaManager.temporaryStorage.fixedLimit': Math.ceil(room / 1024) }
      const found = await inBrowser(await startBrowser(ground, profile, { prefs }), async (page) => {
        const full = await fill(page, round, options, numbers)
        if (hasPolicy(round)) sums[judgePolicy(round, room, await makeRoom(page, options))]++
        return full
      })
      const { refusal, same, problems, steps, left } = found
      if (refusal.code !== 'QUOTA' || refusal.outcome !== 'none' || !same || problems > 0)
        throw broken(`round ${round}`, found)
      // It has written them into the profile, which would outlast them.
      const lifted = { 'dom.quotaManager.temporaryStorage.fixedLimit': -1 }
      const after = await inBrowser(await startBrowser(ground, profile, { prefs: lifted }), (page) =>
        page.evaluate(([open, was]) => loads.goOnThere(open, was), [options, { steps, left }] as const),
      )
      // What the policy let go of is not as it was left.
      if ((!after.same && !hasPolicy(round)) || after.problems > 0)
        throw broken(`round ${round}, afterwards`, after)
      sums.refused++
      sums['steps before'] += steps
      rmSync(profile, { recursive: true, force: true })
    }
    judgeAll(sums, rounds)
    return sums
  } finally {
    await site.close()
  }

  async function inBrowser<T>(browser: RealBrowser, work: (page: Page) => Promise<T>): Promise<T> {
    try {
      return await work(await browser.open(site.url))
    } finally {
      await browser.close()
    }
  }
}
