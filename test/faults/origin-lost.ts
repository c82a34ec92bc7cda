import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startBrowser, type RealBrowser } from './support/browser.ts'
import { broken, type Proof, type ProofContext } from './support/proof.ts'
import { openSite, type Site } from './support/site.ts'

const NAMES = ['one', 'two', 'three', 'four'] as const
const CAUSES = ['two writes cut off', 'a damaged log', 'a damaged manifest'] as const
type Cause = (typeof CAUSES)[number]

/**
 * All databases of an origin are lost at once, right after each has acknowledged its first saves. The browser says so to one of
 * them, if that; two of these causes need no more than a kill.
 */
export default {
  promise:
    'when a browser throws away all databases of a site, each of them tells it, once, and no other does',
  rounds: { short: 3, long: 60 },
  on: ['chromium'],
  elsewhere: {
    'chromium-sqlite': 'each database has a file of its own there',
    firefox: 'each database has a file of its own there',
    webkit: 'each database has a file of its own there',
  },
  async run(context) {
    const site = await openSite()
    const sums = { lost: 0, told: 0, 'with the cause': 0, 'new ones not told': 0 }
    try {
      for (let round = 0; round < context.rounds; round++) {
        const cause = CAUSES[round % CAUSES.length] ?? CAUSES[0]
        const at = { site, profile: join(context.folder, `profile ${round}`) }
        const saved = await loseAll(context, at, cause)
        const found = await openAll(context, at)
        const about = { round, cause, found }
        for (const name of NAMES) {
          const { told, steps } = found.get(name) ?? { told: [], steps: 0 }
          if (steps === saved) throw broken('nothing was lost: this shows nothing', about)
          if (told.length !== 1) throw broken(`${name} was not told once`, about)
          sums.lost++
          sums.told++
          if (told[0]?.includes('thrown away')) sums['with the cause']++
        }
        for (const name of ['new', 'destroyed']) {
          if (found.get(name)?.told.length !== 0) throw broken(`${name} has lost nothing`, about)
          sums['new ones not told']++
        }
        context.say(JSON.stringify({ round, cause, ...sums }))
      }
      if (sums['with the cause'] < sums.told) throw broken('a loss was told without its cause', sums)
      return sums
    } finally {
      await site.close()
    }
  },
} satisfies Proof

interface At {
  readonly site: Site
  readonly profile: string
}

const workerOf = (name: string): 'auto' | false => (name === 'two' ? false : 'auto')

/** Four databases take their first saves; the browser is killed as soon as the last one is acknowledged. */
async function loseAll(
  { ground, random }: ProofContext,
  { site, profile }: At,
  cause: Cause,
): Promise<number> {
  const count = 1 + Math.floor(random() * 5)
  const browser = await startBrowser(ground, profile)
  const other = await browser.open(site.url)
  await other.evaluate(() => loads.saveAndDestroy('destroyed'))
  const pages = await Promise.all(NAMES.map(async (name) => [name, await browser.open(site.url)] as const))
  await Promise.all(
    pages.map(([name, page]) =>
      page.evaluate(([options, steps]) => loads.saveAndStay(options, 't', steps), [
        { name, worker: workerOf(name) },
        count,
      ] as const),
    ),
  )
  if (cause === 'two writes cut off') await other.evaluate(() => loads.writeTwoHalves())
  await browser.kill()
  if (cause === 'a damaged log') damage(profile, /\.log$/)
  if (cause === 'a damaged manifest') damage(profile, /^MANIFEST-/)
  return count
}

/** In the middle of the newest one. */
function damage(profile: string, which: RegExp): void {
  const folder = join(profile, 'Default/IndexedDB')
  const [newest] = readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((file) => file.isFile() && which.test(file.name))
    .map((file) => join(file.parentPath, file.name))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)
  if (!newest) throw new Error(`there is no ${which} in ${folder}`)
  const bytes = readFileSync(newest)
  const middle = Math.floor(bytes.length / 2)
  bytes.fill(0xa5, middle, middle + 16)
  writeFileSync(newest, bytes)
}

/** All at once or one after the other; and one that is new, before them or after. Then all again, who must be told nothing. */
async function openAll({ ground, random }: ProofContext, { site, profile }: At) {
  const browser = await startBrowser(ground, profile)
  const names = ['new', 'destroyed', ...NAMES].sort(() => random() - 0.5)
  const atOnce = random() < 0.5
  const found = new Map<string, Opening>()
  try {
    const opening = names.map((name) => async () => void found.set(name, await openOne(browser, site, name)))
    if (atOnce) await Promise.all(opening.map((open) => open()))
    else for (const open of opening) await open()
    for (const name of names) {
      const { told } = await openOne(browser, site, name)
      if (told.length > 0) throw broken(`${name} was told again`, { told })
    }
    return found
  } finally {
    await browser.close()
  }
}

interface Opening {
  readonly told: readonly string[]
  readonly steps: number
}

async function openOne(browser: RealBrowser, site: Site, name: string): Promise<Opening> {
  const page = await browser.open(site.url)
  const found = await page.evaluate(([id, worker]) => loads.toldAtOpening(id, worker), [
    name,
    workerOf(name),
  ] as const)
  await page.close()
  return found
}
