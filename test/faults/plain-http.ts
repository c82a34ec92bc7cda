import { join } from 'node:path'
import type { Ack } from './page/loads.ts'
import { startBrowser } from './support/browser.ts'
import { judge } from './support/judge.ts'
import { overPlainHttp, PLAIN_HTTP } from './support/plain-http.ts'
import { broken, type Proof } from './support/proof.ts'
import { openSite } from './support/site.ts'

const TABS = 4
const SAVES = 60
const WAYS = [
  { durability: 'async', worker: 'auto' },
  { durability: 'exit', worker: 'auto' },
  { durability: 'async', worker: false },
  { durability: 'exit', worker: false },
] as const

/**
 * Over plain http there are no locks, by which one tab could see that another lives. A page writes behind, others open
 * the same database beside it and close it or are closed, and in the end it is left in the midst of its work.
 */
export default {
  promise:
    'over plain http nobody hears of a loss beside a page that writes behind, nor after it unless there is one',
  rounds: { short: 2, long: 60 },
  on: ['chromium', 'chromium-sqlite'],
  elsewhere: {
    firefox: 'only Chromium is told by a flag where a name leads',
    webkit: 'only Chromium is told by a flag where a name leads',
  },
  async run({ rounds, ground, folder }) {
    const site = await openSite()
    const browser = await startBrowser(ground, join(folder, 'profile'), PLAIN_HTTP)
    const url = overPlainHttp(site.url)
    const sums = { pages: 0, 'tabs beside': 0, saved: 0, lost: 0 }
    try {
      for (let round = 0; round < rounds; round++) {
        const way = WAYS[round % WAYS.length] as (typeof WAYS)[number]
        const options = { name: `plain ${round}`, ...way }
        const page = await browser.open(url)
        if (await page.evaluate(() => isSecureContext || 'locks' in navigator))
          throw broken('this is not plain http', { url })
        await page.evaluate((given) => void loads.mixedLoad({ ...given, tab: 'own' }), options)
        for (let tab = 0; tab < TABS; tab++) {
          const beside = await browser.open(url)
          const told = await beside.evaluate(
            async ([given, isClosed]) => {
              const warnings: string[] = []
              const checkpointer = await forkpoint.openCheckpointer({
                ...given,
                durability: 'sync',
                onWarning: ({ code, message }) => warnings.push(`${code} ${message}`),
              })
              await checkpointer.thread('beside').save(1)
              const { problems } = await checkpointer.verify()
              if (isClosed) await checkpointer.close()
              return [...warnings, ...problems.map((each) => JSON.stringify(each))]
            },
            [options, tab % 2 === 0] as const,
          )
          if (told.length > 0) throw broken('a false alarm beside a page that lives', { round, told })
          await beside.close()
          sums['tabs beside']++
        }
        await page.close()
        await leave(round)
        sums.pages++
      }
      return sums
    } finally {
      await browser.close()
      await site.close()
    }

    /** A page is reloaded in the midst of its saves, and looked at again. */
    async function leave(round: number): Promise<void> {
      const { durability, worker } = WAYS[round % WAYS.length] as (typeof WAYS)[number]
      const [name, thread] = [`left ${round}`, `t${round}`]
      const page = await browser.open(url)
      const arrived = page.waitForEvent('load')
      const load = { name, thread, count: SAVES, durability, worker, to: 'reload' }
      // Its answer is lost with the page.
      void page.evaluate((given) => loads.saveAndLeave(given), load).catch(() => {})
      await arrived
      await page.waitForFunction(() => 'loads' in globalThis)
      const saves = await page.evaluate((id) => sessionStorage.getItem(id), thread)
      const all = JSON.parse(saves ?? '[]') as Ack[]
      const wanted = durability === 'exit' ? all.slice(-1) : all
      const found = await page.evaluate(([given, acks]) => loads.look(given, acks), [
        { name, worker },
        wanted,
      ] as const)
      judge(`page ${round}`, found, 'async')
      if (wanted.length === 0 || (found.missing.length === 0 && found.warnings.length > 0))
        throw broken('a false alarm after a page', { round, found })
      await page.close()
      sums.saved += wanted.length
      sums.lost += found.missing.length
    }
  },
} satisfies Proof
