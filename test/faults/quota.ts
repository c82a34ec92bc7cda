import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { startBrowser, type RealBrowser } from './support/browser.ts'
import { broken, type Figures, type Proof, type ProofContext } from './support/proof.ts'
import { roomOf } from './support/quota.ts'
import { openSite } from './support/site.ts'

const LEAST_ROOM = 1_000_000
const MORE_ROOM = 5_000_000

/** The room of the site ends at a random point of a load; all must be as it was, and go on when there is room again. */
export default {
  promise: 'what finds no room is refused whole, and goes through when there is room again',
  rounds: { short: 2, long: 50 },
  on: ['chromium', 'chromium-sqlite', 'firefox'],
  async run(context) {
    const { ground, folder, random, rounds } = context
    if (ground === 'firefox') return inFirefox(context)
    const site = await openSite(folder)
    const browser = await startBrowser(ground, join(folder, 'profile'))
    const sums = { refused: 0, 'steps before': 0, 'with figures': 0 }
    try {
      for (let round = 0; round < rounds; round++) {
        const page = await browser.open(site.url)
        const room = await roomOf(page)
        await room.lift()
        // Chromium remembers for half a minute how much room it saw, unless all is closed by force.
        await room.evict()
        await room.limit(LEAST_ROOM + Math.floor(random() * MORE_ROOM))
        const numbers = Array.from({ length: 50 }, random)
        const options = {
          name: `full ${round}`,
          worker: round % 2 === 0 ? ('auto' as const) : (false as const),
        }
        const found = await page.evaluate(([open, list]) => loads.workUntilFull(open, list), [
          options,
          numbers,
        ] as const)
        const { refusal, same, problems, steps } = found
        if (refusal.code !== 'QUOTA' || refusal.outcome !== 'none' || !same || problems > 0)
          throw broken(`round ${round}`, found)
        await room.lift()
        const after = await page.evaluate(() => loads.goOn())
        if (after.problems > 0) throw broken(`round ${round}, afterwards`, after)
        sums.refused++
        sums['steps before'] += steps
        if (refusal.usage?.quota !== undefined) sums['with figures']++
        await page.close()
      }
      return sums
    } finally {
      await browser.close()
      await site.close()
    }
  },
} satisfies Proof

/** Firefox is told its room when it starts: it is started with little, and again with as much as there is. */
async function inFirefox({ ground, folder, random, rounds }: ProofContext): Promise<Figures> {
  const site = await openSite(folder)
  const sums = { refused: 0, 'steps before': 0 }
  try {
    for (let round = 0; round < rounds; round++) {
      const profile = join(folder, `profile-${round}`)
      const room = LEAST_ROOM + Math.floor(random() * MORE_ROOM)
      const numbers = Array.from({ length: 50 }, random)
      const options = { name: 'full', worker: round % 2 === 0 ? ('auto' as const) : (false as const) }
      const prefs = { 'dom.quotaManager.temporaryStorage.fixedLimit': Math.ceil(room / 1024) }
      const found = await inBrowser(await startBrowser(ground, profile, { prefs }), (page) =>
        page.evaluate(([open, list]) => loads.workUntilFull(open, list), [options, numbers] as const),
      )
      const { refusal, same, problems, steps, left } = found
      if (refusal.code !== 'QUOTA' || refusal.outcome !== 'none' || !same || problems > 0)
        throw broken(`round ${round}`, found)
      // It has written them into the profile, which would outlast them.
      const lifted = { 'dom.quotaManager.temporaryStorage.fixedLimit': -1 }
      const after = await inBrowser(await startBrowser(ground, profile, { prefs: lifted }), (page) =>
        page.evaluate(([open, was]) => loads.goOnThere(open, was), [options, { steps, left }] as const),
      )
      if (!after.same || after.problems > 0) throw broken(`round ${round}, afterwards`, after)
      sums.refused++
      sums['steps before'] += steps
      rmSync(profile, { recursive: true, force: true })
    }
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
