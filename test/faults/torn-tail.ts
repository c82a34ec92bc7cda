import { readdirSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import type { Ack } from './page/loads.ts'
import { startBrowser } from './support/browser.ts'
import { broken, type Proof, type ProofContext } from './support/proof.ts'
import { openSite, type Site } from './support/site.ts'

const SAVES = 60
/** More than a record of the log, so that most cuts leave one torn. */
const MOST_CUT = 9_000
/** One round in so many is made without the scrub, to show that the proof can fail. */
const EVERY = 4

/**
 * The browser is killed and the log that it leaves ends in the middle of a record. Chromium's LevelDB goes on in that
 * log, and gives up the whole database at the opening after the next one, unless it is made to begin another.
 */
export default {
  promise: 'a torn log after a kill costs nothing that was acknowledged',
  rounds: { short: 2, long: 40 },
  on: ['chromium', 'chromium-sqlite'],
  async run(context) {
    const site = await openSite(context.folder)
    const sums = {
      cut: 0,
      acknowledged: 0,
      lost: 0,
      'cut without scrub': 0,
      'all lost without scrub': 0,
      told: 0,
    }
    try {
      for (let round = 0; round < context.rounds; round++) {
        const withScrub = round % EVERY !== EVERY - 1
        const { acks, missing, warnings } = await tear(context, site, round, withScrub)
        if (!withScrub) {
          sums['cut without scrub']++
          if (missing.length > 0) sums['all lost without scrub']++
          if (warnings.some((each) => each.startsWith('DATA_LOSS'))) sums.told++
          continue
        }
        if (missing.length > 0) throw broken(`round ${round}: lost`, { missing, warnings })
        sums.cut++
        sums.acknowledged += acks.length
      }
    } finally {
      await site.close()
    }
    const couldFail = sums['all lost without scrub'] > 0
    if (context.ground === 'chromium' && sums['cut without scrub'] > 4 && !couldFail)
      throw broken('no cut did harm without the scrub: this shows nothing', sums)
    if (sums.told < sums['all lost without scrub']) throw broken('a loss was not told', sums)
    return sums
  },
} satisfies Proof

async function tear(
  { ground, folder, random, say }: ProofContext,
  site: Site,
  round: number,
  withScrub: boolean,
): Promise<{ acks: readonly Ack[]; missing: readonly string[]; warnings: readonly string[] }> {
  const profile = join(folder, `profile-${round}`)
  const options = { name: 'torn', worker: withScrub ? ('auto' as const) : (false as const) }
  const first = await startBrowser(ground, profile)
  const page = await first.open(site.url)
  const acks = await page.evaluate(([open, count]) => loads.saveAndStay(open, 't', count), [
    options,
    SAVES,
  ] as const)
  await page.evaluate((bytes) => loads.fillLog(bytes), MOST_CUT + 3_000)
  await first.kill()

  const log = newestLog(join(profile, 'Default/IndexedDB'), ground === 'chromium' ? '.log' : '-wal')
  const cut = 1 + Math.floor(random() * MOST_CUT)
  truncateSync(log, Math.max(0, statSync(log).size - cut))

  let all = acks
  for (let opening = 0; opening < 3; opening++) {
    const browser = await startBrowser(ground, profile)
    if (!withScrub) await browser.context.addInitScript(hideChromium)
    try {
      const again = await browser.open(site.url)
      const found = await again.evaluate(([open, list]) => loads.look(open, list), [options, all] as const)
      if (found.missing.length + found.wrong.length + found.problems.length > 0) {
        say(
          `round ${round}, cut ${cut}, opening ${opening}: ${found.missing.length} missing ${found.warnings.join()}`,
        )
        return {
          acks: all,
          missing: [...found.missing, ...found.wrong, ...found.problems],
          warnings: found.warnings,
        }
      }
      const more = await again.evaluate(([open, thread]) => loads.saveSome(open, thread, 20), [
        options,
        `after ${opening}`,
      ] as const)
      all = [...all, ...more]
    } finally {
      await browser.close()
    }
  }
  rmSync(profile, { recursive: true, force: true })
  return { acks: all, missing: [], warnings: [] }
}

/** As which browser a page sees itself decides whether it scrubs. */
function hideChromium(): void {
  Object.defineProperty(navigator, 'userAgentData', { value: undefined })
  Object.defineProperty(navigator, 'userAgent', { value: 'none' })
}

function newestLog(folder: string, ending: string): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)
  const [newest] = files
  if (!newest) throw new Error(`there is no *${ending} in ${folder}`)
  return newest
}
