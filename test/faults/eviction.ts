import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Loss } from '../../src/index.ts'
import { startBrowser, type RealBrowser } from './support/browser.ts'
import { broken, type Proof } from './support/proof.ts'
import { roomOf } from './support/quota.ts'
import { firstAck, openSite, type Site } from './support/site.ts'

const KEPT = 3
/** Long enough for an open page to see by itself what became of its database. */
const STAY = 2_000

/** What is taken away, in the words of the DevTools protocol; each round one of these. */
const WAYS = [
  { what: 'indexeddb', whileSaving: true },
  // What is remembered in a private file goes with it, and only localStorage can tell.
  { what: 'indexeddb,file_systems', whileSaving: true },
  { what: 'all', whileSaving: false },
  // The page that saves is all that knows.
  { what: 'all', whileSaving: true },
] as const
type Way = (typeof WAYS)[number]

/**
 * The site's databases are taken away while it saves, with or without what is beside them. The page is told and goes on in
 * a new one, and what was lost is told once, by it or by the next that opens. Where nothing is left, all is simply new.
 */
export default {
  promise:
    'a database that is taken away while it is written to is told of, with what was in it, and made anew',
  rounds: { short: 4, long: 40 },
  on: ['chromium', 'chromium-sqlite'],
  elsewhere: {
    firefox: 'only the DevTools protocol clears the data of a site under an open page',
    webkit: 'only the DevTools protocol clears the data of a site under an open page',
  },
  async run({ ground, folder, random, rounds }) {
    const site = await openSite()
    const sums = { evicted: 0, 'saves before': 0, 'losses told': 0, 'simply new': 0 }
    try {
      for (let round = 0; round < rounds; round++) {
        const way = WAYS[round % WAYS.length] as Way
        // Each way with a worker and without.
        const isAlone = Math.floor(round / WAYS.length) % 2 === round % 2
        const options: Options = { name: `evicted ${round}`, worker: isAlone ? false : 'auto' }
        const delay = random() * 600
        const stay = random() < 0.5 ? 0 : STAY
        // Where all of a site was cleared, Chromium gives its pages no private files before it is started again.
        const browser = await startBrowser(ground, join(folder, `profile-${round}`))
        try {
          const { before, losses } = way.whileSaving
            ? await evictWhileSaving({ browser, site, options, way, delay, stay })
            : await evictAtRest({ browser, site, options, way })
          sums['saves before'] += before
          sums['losses told'] += losses
          if (losses === 0) sums['simply new']++
        } finally {
          await browser.close()
        }
        sums.evicted++
      }
      return sums
    } finally {
      await site.close()
    }
  },
} satisfies Proof

interface Options {
  readonly name: string
  readonly worker: 'auto' | false
}

interface Round {
  readonly browser: RealBrowser
  readonly site: Site
  readonly options: Options
  readonly way: Way
}

async function evictWhileSaving({
  browser,
  site,
  options,
  way: { what },
  delay,
  stay,
}: Round & { readonly delay: number; readonly stay: number }): Promise<{ before: number; losses: number }> {
  const page = await browser.open(site.url)
  await page.evaluate(() => loads.putPrivateFile())
  const room = await roomOf(page)
  site.acks.length = 0
  const saving = page.evaluate(([open, how]) => loads.saveUntilTold(open, how), [
    options,
    { kept: KEPT, stay },
  ] as const)
  await firstAck(site)
  await sleep(delay)
  await room.evict(what)
  const found = await saving
  await page.close()
  const about = { options, what, delay, stay, found }
  // The call that was under way is told, and the first one after that.
  if (!/^(EVICTED,?){1,2}$/.test(found.codes.join()) || found.after.join() !== '1,2,3,4,5')
    throw broken('the page was not told, or not given a new one', about)

  const [next, again] = [await lookAgain(browser, site, options), await lookAgain(browser, site, options)]
  if (next.hasFile !== (what === 'indexeddb'))
    throw broken('something else was taken away', { ...about, next })
  if (next.seqs['kept'] !== undefined || next.seqs['evicted'] !== 5)
    throw broken('what is there is not what was saved after', { ...about, next })
  const losses = [...found.losses, ...next.losses]
  const told = losses.length + again.losses.length
  // Of everything that is gone nothing can be known but by the page that has just saved.
  if (told > 1 || (told < 1 && what !== 'all') || next.problems.join() !== losses.map(() => 'loss').join())
    throw broken('the loss was not told once', { ...about, next, again })
  for (const loss of losses) {
    if (!isOf(loss, found.before, what === 'all' ? undefined : KEPT))
      throw broken('what was lost is not what was told', { ...about, next })
  }
  return { before: found.before, losses: losses.length }
}

/** Whether it names another database, and how far its threads had come. */
function isOf({ expected, found, heads }: Loss, evicted: number, kept: number | undefined): boolean {
  const of = (name: string): number | undefined => heads.find(({ thread }) => thread === name)?.expected
  return (
    expected.database !== found.database &&
    of('evicted') === evicted &&
    (kept === undefined || (of('kept') === kept && expected.threads === 2))
  )
}

/** Nobody is at work, and what is cleared is all that there is. */
async function evictAtRest({ browser, site, options, way: { what } }: Round): Promise<{
  before: number
  losses: number
}> {
  const page = await browser.open(site.url)
  await page.evaluate(() => loads.putPrivateFile())
  await page.evaluate(([{ name, worker }, steps]) => loads.keep(name, steps, worker), [
    options,
    { kept: KEPT },
  ] as const)
  await (await roomOf(page)).evict(what)
  await page.close()
  const next = await lookAgain(browser, site, options)
  if (next.hasFile || next.losses.length + next.problems.length + Object.keys(next.seqs).length > 0)
    throw broken('what is new was not taken for new', { options, what, next })
  return { before: KEPT, losses: 0 }
}

async function lookAgain(browser: RealBrowser, site: Site, options: Options) {
  const page = await browser.open(site.url)
  const found = await page.evaluate((open) => loads.openAfterEviction(open), options)
  const hasFile = await page.evaluate(() => loads.hasPrivateFile())
  await page.close()
  return { ...found, hasFile }
}
