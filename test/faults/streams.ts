import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FoundStream, Passed } from './page/streams.ts'
import { startBrowser } from './support/browser.ts'
import { broken, type Figures, type Proof, type ProofContext } from './support/proof.ts'
import { firstAck, openSite, type Site } from './support/site.ts'

/** At most one transaction in so many milliseconds. */
const EVERY = 50
/** Those that begin and end a stream and its run. */
const BESIDE = 6

/** `kill -9` of the browser in the midst of an answer, which the next page goes on with. */
export default {
  promise:
    'of an answer that was killed as it came, what was acknowledged or flushed comes back in order, and the rest follows',
  rounds: { short: 2, long: 60 },
  on: ['chromium', 'chromium-sqlite', 'firefox'],
  mostlyWaits: true,
  elsewhere: {
    webkit:
      'no driver reaches a WebKitGTK that keeps what it stores, so nobody is there when a page has gone',
  },
  async run(context) {
    const site = await openSite()
    try {
      const costs = await costsOf(context, site)
      const sums = { killed: 0, 'passed on': 0, 'came back': 0 }
      const gone: { readonly chunks: number; readonly ms: number }[] = []
      const left = await leave(context, site)
      for (let round = 0; round < context.rounds; round++) {
        const flushes = round % 2 === 1
        const profile = join(context.folder, `profile-${round}`)
        const said = await killInMidStream(context, site, profile, flushes)
        const found = await findAgain(context, site, profile)
        const last = judge(round, said, found)
        sums.killed++
        sums['passed on'] += last.passed
        sums['came back'] += found.found
        gone.push({ chunks: Math.max(0, last.passed - found.found), ms: msGone(said, found.found) })
      }
      const byTime = gone.map(({ ms }) => ms).sort((a, b) => a - b)
      return {
        ...costs,
        ...left,
        ...sums,
        'chunks gone at most': Math.max(...gone.map(({ chunks }) => chunks)),
        'ms gone, median': byTime[Math.floor(byTime.length / 2)] ?? 0,
        'ms gone at most': byTime.at(-1) ?? 0,
      }
    } finally {
      await site.close()
    }
  },
} satisfies Proof

async function costsOf({ ground, folder }: ProofContext, site: Site): Promise<Figures> {
  const browser = await startBrowser(ground, join(folder, 'costs'))
  try {
    const page = await browser.open(site.url)
    const { tokens, milliseconds, transactions } = await page.evaluate(() =>
      streams.streamTransactions({ name: 'costs' }),
    )
    if (transactions > milliseconds / EVERY + BESIDE)
      throw broken('too many transactions', { tokens, milliseconds, transactions })
    const { bare, streamed } = await page.evaluate(() => streams.streamTimes({ name: 'times' }))
    return {
      tokens,
      'ms streamed': milliseconds,
      transactions,
      'ms a token, bare': bare,
      'ms a token, streamed': streamed,
    }
  } finally {
    await browser.close()
  }
}

/** Pages that are reloaded in mid-stream: what they still had is sent as they go. */
async function leave({ ground, folder, rounds, random }: ProofContext, site: Site): Promise<Figures> {
  const browser = await startBrowser(ground, join(folder, 'left'))
  const sums = { reloaded: 0, 'gone with a reload': 0 }
  try {
    for (let round = 0; round < rounds; round++) {
      const name = `left ${round}`
      const after = 20 + Math.floor(random() * 100)
      const page = await browser.open(site.url)
      const arrived = page.waitForEvent('load')
      // Its answer is lost with the page.
      void page.evaluate((load) => streams.streamAndLeave(load), { name, after }).catch(() => {})
      await arrived
      await page.waitForFunction(() => 'streams' in globalThis)
      const passed = Number(await page.evaluate((id) => sessionStorage.getItem(id), name))
      const found = await page.evaluate((options) => streams.streamAgain(options), { name })
      if (passed < after || found.found < 0 || found.found > passed || !found.isWhole || found.problems > 0)
        throw broken('after a reload', { found, passed, after })
      sums.reloaded++
      sums['gone with a reload'] += passed - found.found
      await page.close()
    }
    return sums
  } finally {
    await browser.close()
  }
}

async function killInMidStream(
  { ground, random }: ProofContext,
  site: Site,
  profile: string,
  flushes: boolean,
): Promise<Passed[]> {
  site.acks.length = 0
  const browser = await startBrowser(ground, profile)
  const page = await browser.open(site.url)
  // It ends with the browser.
  void page.evaluate((load) => streams.streamUntilKilled(load), { name: 'killed', flushes }).catch(() => {})
  await firstAck(site)
  await sleep(200 + random() * 1_500)
  await browser.kill()
  return ([...site.acks] as Passed[]).sort((a, b) => a.passed - b.passed)
}

async function findAgain({ ground }: ProofContext, site: Site, profile: string): Promise<FoundStream> {
  const browser = await startBrowser(ground, profile)
  try {
    const page = await browser.open(site.url)
    return await page.evaluate(() => streams.streamAgain({ name: 'killed' }))
  } finally {
    await browser.close()
  }
}

/** What was said last. */
function judge(round: number, said: readonly Passed[], found: FoundStream): Passed {
  const last = said.at(-1)
  if (!last) throw broken('the page has said nothing', { round })
  const sure = Math.max(...said.map(({ stored, flushed }) => Math.max(stored, flushed)))
  if (found.found < sure || !found.isWhole || found.problems > 0 || found.warnings.length > 0)
    throw broken(`round ${round}`, { found, sure, last })
  return last
}

/** How long before the last word of the page the first chunk was passed on that did not come back. */
function msGone(said: readonly Passed[], found: number): number {
  const first = said.find(({ passed }) => passed > found)
  return first ? (said.at(-1)?.at ?? first.at) - first.at : 0
}
