import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import type { UnknownStep } from '../../src/index.ts'
import { compareEnds, type AgentEnd } from './support/agent-end.ts'
import { startBrowser, type RealBrowser } from './support/browser.ts'
import { Effects } from './support/effects.ts'
import { broken, type Figures, type Proof, type ProofContext } from './support/proof.ts'
import { openSite, type Site } from './support/site.ts'

const WAYS = ['tab closed', 'worker killed', 'browser killed', 'service worker stopped'] as const
type Way = (typeof WAYS)[number]
/** Milliseconds in which an agent comes to its end, many times over. */
const PATIENCE = 60_000
/** A profile grows with each round. */
const ROUNDS_A_PROFILE = 20

/** The model agent in a real browser is killed at a write, which the site is told of, and resumed. A round is a kill. */
export default {
  promise: 'an agent that is killed at a write, in any way, comes to the same end, with nothing done twice',
  rounds: { short: 4, long: 240 },
  on: ['chromium', 'chromium-sqlite', 'firefox'],
  elsewhere: {
    webkit:
      'WebKitGTK keeps the transaction of a worker that is terminated in its midst, and nobody else can write any more',
  },
  async run(context) {
    const town = await openTown()
    try {
      return await killAll(context, town)
    } finally {
      await town.site.close()
    }
  },
} satisfies Proof

/** The site, as the world of one agent after the other. */
interface Town {
  readonly site: Site
  effects: Effects
  /** Writes that it was told of: each when it was begun, and when it was done. */
  notices: number
  onNotice: () => void
}

async function openTown(): Promise<Town> {
  const town = { effects: new Effects(), notices: 0, onNotice: () => {} }
  const site = await openSite((path, body) => {
    if (path === '/notice') {
      town.notices++
      town.onNotice()
      return {}
    }
    const { call, step } = JSON.parse(body) as { call?: Parameters<Effects['do']>[0]; step: UnknownStep }
    return call ? town.effects.do(call) : town.effects.decide(step)
  })
  return Object.assign(town, { site })
}

async function killAll({ rounds, ground, folder, random, say }: ProofContext, town: Town): Promise<Figures> {
  // Only Chromium lets a service worker be stopped from outside.
  const ways = WAYS.filter((way) => ground !== 'firefox' || way !== 'service worker stopped')
  const sums = { kills: 0, 'at the end already': 0, decided: 0, again: 0, late: 0 }
  const byWay = Object.fromEntries(ways.map((way) => [way, 0])) as Record<Way, number>
  let browser = await startBrowser(ground, join(folder, 'profile-0'))
  try {
    const whole = new Map<boolean, { end: AgentEnd; notices: number }>()
    for (const inService of new Set(ways.map(isInService)))
      whole.set(inService, await unkilled(town, browser, inService))
    for (let round = 0; round < rounds; round++) {
      if (round > 0 && round % ROUNDS_A_PROFILE === 0) {
        await browser.close()
        browser = await startBrowser(ground, join(folder, `profile-${round}`))
      }
      const way = ways[round % ways.length] as Way
      const { end, notices } = whole.get(isInService(way)) as { end: AgentEnd; notices: number }
      const place = (Math.floor(round / ways.length) + random()) / Math.ceil(rounds / ways.length)
      const at = 1 + Math.floor(place * (notices - 1))
      const about = { round, way, at, of: notices }
      const again = (): Promise<RealBrowser> =>
        startBrowser(ground, join(folder, `profile-${round - (round % ROUNDS_A_PROFILE)}`))
      const killed = await killOne(about, town, browser, again)
      browser = killed.browser
      compareEnds(about, { end: killed.end, effects: town.effects, whole: end })
      if (killed.wasOver) sums['at the end already']++
      else {
        sums.kills++
        byWay[way]++
      }
      sums.decided += town.effects.decided
      sums.again += town.effects.again
      sums.late += town.effects.late.length
      if (round % 20 === 19) say(`${round + 1} of ${rounds}: ${JSON.stringify({ ...sums, ...byWay })}`)
    }
    return { notices: whole.get(false)?.notices ?? 0, ...sums, ...byWay }
  } finally {
    await browser.close().catch(() => {})
  }
}

const isInService = (way: Way): boolean => way === 'service worker stopped'

function begin(town: Town, page: Page, name: string, inService: boolean): Promise<string> {
  const run = page.evaluate(
    ([id, isThere]) => (isThere ? loads.runInServiceWorker(id) : agents.runAgentIn(id)),
    [name, inService] as const,
  )
  return Promise.race([
    run,
    sleep(PATIENCE, undefined, { ref: false }).then(() => {
      throw broken('an agent came to no end', { name, ...town.effects })
    }),
  ])
}

async function unkilled(
  town: Town,
  browser: RealBrowser,
  inService: boolean,
): Promise<{ end: AgentEnd; notices: number }> {
  Object.assign(town, { effects: new Effects(), notices: 0 })
  const name = `whole ${inService}`
  const page = await browser.open(town.site.url)
  await begin(town, page, name, inService)
  const { notices } = town
  const end = await page.evaluate((id) => agents.endOfAgent(id), name)
  compareEnds(name, { end, effects: town.effects, whole: end })
  await page.close()
  return { end, notices }
}

interface Killed {
  readonly browser: RealBrowser
  readonly end: AgentEnd
  /** It had come to its end before it could be killed. */
  readonly wasOver: boolean
}

async function killOne(
  { round, way, at }: { readonly round: number; readonly way: Way; readonly at: number },
  town: Town,
  first: RealBrowser,
  again: () => Promise<RealBrowser>,
): Promise<Killed> {
  Object.assign(town, { effects: new Effects(), notices: 0 })
  const name = `agent ${round}`
  let browser = first
  let page = await browser.open(town.site.url)
  const isTime = new Promise<'time'>((resolve) => {
    town.onNotice = () => town.notices >= at && resolve('time')
  })
  // Its end is that of its page, as a rule.
  const running = begin(town, page, name, isInService(way)).catch(String)
  const wasOver = (await Promise.race([running, isTime])) !== 'time'
  if (way === 'tab closed') await page.close()
  else if (way === 'service worker stopped') await stopServiceWorkers(page)
  else if (way === 'browser killed') {
    await browser.kill()
    browser = await again()
  } else {
    await page.evaluate(() => agents.killWorker())
    // The page lives on, and its run may do so too.
    await running
  }
  if (page.isClosed() || way === 'browser killed') page = await browser.open(town.site.url)
  await begin(town, page, name, isInService(way))
  const end = await page.evaluate((id) => agents.endOfAgent(id), name)
  await page.close()
  return { browser, end, wasOver }
}

async function stopServiceWorkers(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('ServiceWorker.enable')
  await session.send('ServiceWorker.stopAllWorkers')
  await session.detach()
}
