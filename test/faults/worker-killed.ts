import { join } from 'node:path'
import { startBrowser } from './support/browser.ts'
import { broken, type Proof } from './support/proof.ts'
import { openSite } from './support/site.ts'

/** After the third within a minute the page does the work itself: that, too, is part of it. */
const KILLS_A_PAGE = 3

/** The worker is terminated at a random moment of a mixed load; the page only calls again. A round is a kill. */
export default {
  promise: 'a worker that is killed costs no acknowledged save, and what is called for again is made once',
  rounds: { short: 10, long: 100 },
  on: ['chromium', 'chromium-sqlite', 'firefox'],
  elsewhere: {
    webkit:
      'WebKitGTK keeps the transaction of a worker that is terminated in its midst, and nobody else can write any more',
  },
  async run({ rounds, ground, folder, random }) {
    const site = await openSite()
    const browser = await startBrowser(ground, join(folder, 'profile'))
    const sums = { killed: 0, acknowledged: 0, 'called again': 0, 'had landed': 0, 'went on in the page': 0 }
    try {
      while (sums.killed < rounds) {
        const kills = Math.min(KILLS_A_PAGE, rounds - sums.killed)
        const moments = Array.from({ length: kills }, () => random() ** 2 * 400)
        const load = { name: `killed ${sums.killed}`, moments }
        const page = await browser.open(site.url)
        const done = await page.evaluate((given) => loads.killWorkers(given), load)
        await page.close()
        if (done.wrong.length > 0) throw broken(`after ${moments.join(', ')} ms`, done.wrong.slice(0, 20))
        sums.killed += kills
        sums.acknowledged += done.acknowledged
        sums['called again'] += done.calledAgain
        sums['had landed'] += done.hadLanded
        sums['went on in the page'] += done.inThisThread
      }
      return sums
    } finally {
      await browser.close()
      await site.close()
    }
  },
} satisfies Proof
