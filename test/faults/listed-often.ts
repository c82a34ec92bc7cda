import { join } from 'node:path'
import { startBrowser } from './support/browser.ts'
import { broken, type Proof } from './support/proof.ts'
import { openSite } from './support/site.ts'

const SAVES = 2_000
const MOST = 2

/** What Chromium keeps of a row that is put again and again: `src/storage/indexeddb/stale-entries.ts`. */
export default {
  promise: `a list of threads takes no longer after ${SAVES} saves than after the first`,
  rounds: { short: 1, long: 5 },
  on: ['chromium', 'chromium-sqlite'],
  isTimed: true,
  elsewhere: {
    firefox: 'its engine keeps no old entries',
    webkit: 'its engine keeps no old entries',
  },
  async run({ ground, folder, rounds }) {
    const site = await openSite()
    const browser = await startBrowser(ground, join(folder, 'profile'))
    const ratios: number[] = []
    let figures = {}
    try {
      for (let round = 0; round < rounds; round++) {
        const page = await browser.open(site.url)
        const { before, after } = await page.evaluate(([open, count]) => loads.timeLists(open, count), [
          { name: `listed ${round}` },
          SAVES,
        ] as const)
        await page.close()
        ratios.push(after / before)
        figures = { 'ms for a list': before, 'after the saves': after, ratio: Math.min(...ratios) }
      }
    } finally {
      await browser.close()
      await site.close()
    }
    // Old entries slow each list, what else the machine does only some.
    if (Math.min(...ratios) > MOST) throw broken('lists grow slower with each save', figures)
    return figures
  },
} satisfies Proof
