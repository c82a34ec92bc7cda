import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import type { Followed } from './page/orphans.ts'
import { startBrowser } from './support/browser.ts'
import { broken, type Proof } from './support/proof.ts'
import { openSite } from './support/site.ts'

/** Those who wait to take it over; the first of them watches it, too. */
const FOLLOWERS = 2
/** Two looks a second apart, on a machine that is busy. */
const LATEST_MS = 15_000
const WANTED = ['first', 'second', String((399 * 400) / 2)]

/** A tab is closed, or crashes, in the midst of its run. */
export default {
  promise: 'a run whose tab is closed or crashes is told to the others, and one of them goes on with it',
  rounds: { short: 2, long: 40 },
  on: ['chromium', 'chromium-sqlite', 'firefox'],
  elsewhere: {
    webkit: 'no driver reaches a WebKitGTK that keeps what it stores, so nobody closes one of its tabs',
  },
  async run({ rounds, ground, folder, say }) {
    const site = await openSite()
    const browser = await startBrowser(ground, join(folder, 'profile'))
    const delays: number[] = []
    try {
      const followers: Page[] = []
      for (let i = 0; i < FOLLOWERS; i++) followers.push(await browser.open(site.url))
      await Promise.all(followers.map((page) => page.evaluate(() => orphans.follow())))
      for (let round = 0; round < rounds; round++) {
        const id = `run ${round}`
        const tab = await browser.open(site.url)
        const [watcher] = followers as [Page]
        await watcher.evaluate((thread) => orphans.watch(thread), id)
        await tab.evaluate((thread) => orphans.beginRun(thread), id)
        const status = await watcher.evaluate((thread) => orphans.statusOf(thread), id)
        if (status !== 'running') throw broken('a run is not seen running', { round, status })
        const left = Date.now()
        if (round % 2 && ground !== 'firefox') await crash(tab)
        await tab.close()
        const found = await untilFinished(followers, id)
        check(found, round)
        const [first = 0] = found.flatMap(({ told }) => told).sort((a, b) => a - b)
        delays.push(first - left)
        const done = await watcher.evaluate((thread) => orphans.doneIn(thread), id)
        if (JSON.stringify(done) !== JSON.stringify(WANTED))
          throw broken('the state is another', { round, done })
        const wrong = await untilWatched(watcher)
        if (wrong.length > 0) throw broken('what was watched is not what there was', { round, wrong })
        if (round % 10 === 9) say(`${round + 1} of ${rounds}`)
      }
      delays.sort((a, b) => a - b)
      const median = delays[Math.floor(delays.length / 2)] ?? 0
      return { 'runs taken over': rounds, 'told after, median ms': median, 'at most, ms': delays.at(-1) ?? 0 }
    } finally {
      await browser.close()
      await site.close()
    }
  },
} satisfies Proof

/** The page goes, and with it its worker, without a word. */
async function crash(tab: Page): Promise<void> {
  const session = await tab.context().newCDPSession(tab)
  await Promise.race([session.send('Page.crash').catch(() => undefined), sleep(500)])
}

/** What the followers were told, and came to. */
async function untilFinished(followers: readonly Page[], id: string): Promise<Followed[]> {
  const found: Followed[] = followers.map(() => ({ told: [], ends: [], warnings: [] }))
  for (const until = Date.now() + LATEST_MS; Date.now() < until; await sleep(50)) {
    const news = await Promise.all(followers.map((page) => page.evaluate(() => orphans.takeFollowed())))
    news.forEach((each, i) => {
      const before = found[i] as Followed
      found[i] = {
        told: [...before.told, ...each.told],
        ends: [...before.ends, ...each.ends],
        warnings: [...before.warnings, ...each.warnings],
      }
    })
    if (found.some(({ ends }) => ends.length > 0)) return found
  }
  throw broken('nobody has taken it over', { id, found })
}

function check(found: readonly Followed[], round: number): void {
  const ends = found.flatMap((each) => each.ends)
  const resumed = ends.filter((end) => end === 'resumed resumed')
  if (
    resumed.length !== 1 ||
    ends.some((end) => end !== 'resumed resumed' && end !== 'already-finished resumed')
  )
    throw broken('not one has gone on with it', { round, ends })
  const warnings = found.flatMap((each) => each.warnings)
  if (warnings.length > 0) throw broken('who lost the race was warned', { round, warnings })
  if (found.some(({ told }) => told.length > 1)) throw broken('an orphan was told twice', { round, found })
}

/** What is wrong with it, when the last of it has come. */
async function untilWatched(watcher: Page): Promise<readonly string[]> {
  let wrong: readonly string[] = ['nothing was watched']
  for (let i = 0; i < 100 && wrong.length > 0; i++) {
    wrong = await watcher.evaluate(() => orphans.lookAtWatched())
    if (wrong.length > 0) await sleep(50)
  }
  return wrong
}
