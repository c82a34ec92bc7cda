import { join } from 'node:path'
import type { Ack } from './page/loads.ts'
import { startBrowser } from './support/browser.ts'
import { judge } from './support/judge.ts'
import { broken, type Proof } from './support/proof.ts'
import { openSite } from './support/site.ts'

const SAVES = 60
const WAYS = [
  { durability: 'async', to: 'reload' },
  { durability: 'exit', to: 'reload' },
  { durability: 'async', to: '/?elsewhere' },
  { durability: 'exit', to: '/?elsewhere' },
  { durability: 'async', to: 'reload', flush: true },
  { durability: 'async', to: 'reload', flush: true, isBeside: true },
  { durability: 'exit', to: 'reload', isBeside: true },
  { durability: 'async', within: 40, isBeside: true },
] as const

/** A page saves, alone or beside another tab, and is reloaded or left in the very task in which the last state was captured. */
export default {
  promise: 'a page that goes writes what it still holds, or the next one is told, and else is told nothing',
  rounds: { short: 7, long: 100 },
  on: ['chromium', 'chromium-sqlite', 'firefox'],
  elsewhere: {
    webkit:
      'no driver reaches a WebKitGTK that keeps what it stores, so nobody is there when a page has gone',
  },
  async run({ rounds, ground, folder }) {
    const site = await openSite()
    const browser = await startBrowser(ground, join(folder, 'profile'))
    const sums = { left: 0, saved: 0, lost: 0, 'pages that lost some': 0 }
    try {
      for (let round = 0; round < rounds; round++) {
        const way = WAYS[round % WAYS.length] as (typeof WAYS)[number]
        const { isBeside, ...how } = { isBeside: false, ...way }
        const { durability } = way
        const [name, thread] = [`leaving ${round}`, `t${round}`]
        const other = isBeside ? await browser.open(site.url) : undefined
        await other?.evaluate((options) => loads.stay(options), { name })
        const page = await browser.open(site.url)
        const arrived = page.waitForEvent('load')
        // Its answer is lost with the page.
        const going =
          'within' in how
            ? page.evaluate((options) => loads.saveAndLeaveWithin(options), {
                name,
                thread,
                durability,
                moments: Math.random() * how.within,
              })
            : page.evaluate((options) => loads.saveAndLeave(options), { name, thread, count: SAVES, ...how })
        void going.catch(() => {})
        await arrived
        await page.waitForFunction(() => 'loads' in globalThis)
        const saves = await page.evaluate((id) => sessionStorage.getItem(id), thread)
        if (saves === null) throw broken('the page did not come to its end', { round })
        const all = JSON.parse(saves) as Ack[]
        // Of `exit` the last state alone is kept.
        const wanted = durability === 'exit' ? all.slice(-1) : all
        const found = await page.evaluate(([options, acks]) => loads.look(options, acks), [
          { name },
          wanted,
        ] as const)
        judge(`page ${round}`, found, 'async')
        if (found.missing.length === 0 && found.warnings.length > 0)
          throw broken('a false alarm', { round, found })
        await page.close()
        await other?.close()
        sums.left++
        sums.saved += wanted.length
        sums.lost += found.missing.length
        if (found.missing.length > 0) sums['pages that lost some']++
      }
      return sums
    } finally {
      await browser.close()
      await site.close()
    }
  },
} satisfies Proof
