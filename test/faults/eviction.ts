import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startBrowser } from './support/browser.ts'
import { broken, type Proof } from './support/proof.ts'
import { roomOf } from './support/quota.ts'
import { openSite } from './support/site.ts'

/** The site's databases are taken away while it saves; the page is told, and goes on in a new one. */
export default {
  promise: 'a database that is taken away while it is written to is told of, and made anew',
  rounds: { short: 2, long: 30 },
  on: ['chromium', 'chromium-sqlite'],
  async run({ ground, folder, random, rounds }) {
    const site = await openSite(folder)
    const browser = await startBrowser(ground, join(folder, 'profile'))
    const sums = { evicted: 0, 'saves before': 0 }
    try {
      for (let round = 0; round < rounds; round++) {
        const page = await browser.open(site.url)
        const room = await roomOf(page)
        const options = {
          name: `evicted ${round}`,
          worker: round % 2 === 0 ? ('auto' as const) : (false as const),
        }
        const saving = page.evaluate((open) => loads.saveUntilTold(open), options)
        await sleep(150 + random() * 600)
        await room.evict()
        const found = await saving
        // The call that was under way is told, and the first one after that.
        if (!/^(EVICTED,?){1,2}$/.test(found.told.join()) || found.after.join() !== '1,2,3,4,5')
          throw broken(`round ${round}`, found)
        sums.evicted++
        sums['saves before'] += found.before
        await page.close()
      }
      return sums
    } finally {
      await browser.close()
      await site.close()
    }
  },
} satisfies Proof
