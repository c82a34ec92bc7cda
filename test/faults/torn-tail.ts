import { readdirSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ack, Findings } from './page/loads.ts'
import { startBrowser } from './support/browser.ts'
import { broken, type Proof, type ProofContext } from './support/proof.ts'
import { openSite, type Site } from './support/site.ts'

/** Fewer commits than after which old entries of the list are thrown away: those would be what the cut takes. */
const SAVES = 40
/** More than a record of the log, so that most cuts leave one torn. */
const MOST_CUT = 9_000
/** Within a second it is written down, outside of the database, how far each thread has come. */
const WRITTEN_DOWN = 1_500

/** What the cut takes, in turn: rows of another database, our own last commits; and one without the scrub, to show that the proof can fail. */
const KINDS = ['others', 'our own', 'others', 'without scrub'] as const
type Kind = (typeof KINDS)[number]

/**
 * The browser is killed and the log that it leaves ends in the middle of a record. Chromium's LevelDB goes on in that
 * log, and gives up the whole database at the opening after the next one, unless it is made to begin another. What is cut
 * off is gone in any case.
 */
export default {
  promise: 'a torn log after a kill costs no more than what was cut off, and that is told',
  rounds: { short: 2, long: 60 },
  on: ['chromium', 'chromium-sqlite'],
  shortElsewhere: { rounds: 2, on: ['chromium-sqlite'] },
  elsewhere: {
    firefox: 'only Chromium goes on in a log that is torn',
    webkit: 'only Chromium goes on in a log that is torn',
  },
  async run(context) {
    const site = await openSite()
    const sums = {
      cut: 0,
      acknowledged: 0,
      'cuts of our own': 0,
      'lost with those': 0,
      'told of those': 0,
      'cut without scrub': 0,
      'all lost without scrub': 0,
      told: 0,
    }
    try {
      for (let round = 0; round < context.rounds; round++) {
        const kind = KINDS[round % KINDS.length] as Kind
        const { acks, cut } = await tear(context, site, round, kind)
        const { lost, told, left } = await reopen(context, site, round, { kind, acks, cut })
        sums.cut++
        sums.acknowledged += left
        if (kind === 'others') continue
        const own = kind === 'our own'
        sums[own ? 'cuts of our own' : 'cut without scrub']++
        sums[own ? 'lost with those' : 'all lost without scrub'] += own ? lost : Math.sign(lost)
        sums[own ? 'told of those' : 'told'] += told
      }
    } finally {
      await site.close()
    }
    if (sums['cuts of our own'] > 0 && sums['lost with those'] === 0)
      throw broken('no cut took anything of ours: this shows nothing', sums)
    const couldFail = sums['all lost without scrub'] > 0
    if (context.ground === 'chromium' && sums['cut without scrub'] > 4 && !couldFail)
      throw broken('no cut did harm without the scrub: this shows nothing', sums)
    if (sums.told < sums['all lost without scrub']) throw broken('a loss was not told', sums)
    return sums
  },
} satisfies Proof

const optionsOf = (kind: Kind) => ({
  name: 'torn',
  worker: kind === 'without scrub' ? (false as const) : ('auto' as const),
})

async function tear(
  { ground, folder, random }: ProofContext,
  site: Site,
  round: number,
  kind: Kind,
): Promise<{ acks: readonly Ack[]; cut: number }> {
  const profile = join(folder, `profile-${round}`)
  const first = await startBrowser(ground, profile)
  const page = await first.open(site.url)
  const acks = await page.evaluate(([open, count]) => loads.saveAndStay(open, 't', count), [
    optionsOf(kind),
    SAVES,
  ] as const)
  if (kind === 'our own') await sleep(WRITTEN_DOWN)
  else await page.evaluate((bytes) => loads.fillLog(bytes), MOST_CUT + 3_000)
  await first.kill()
  const log = newestLog(join(profile, 'Default/IndexedDB'), ground === 'chromium' ? '.log' : '-wal')
  const cut = 1 + Math.floor(random() * MOST_CUT)
  truncateSync(log, Math.max(0, statSync(log).size - cut))
  return { acks, cut }
}

interface Torn {
  readonly kind: Kind
  readonly acks: readonly Ack[]
  readonly cut: number
}

/** Three times, with saves in between: how much was lost, how often that was told, and how many saves there are at last. */
async function reopen(
  { ground, folder, say }: ProofContext,
  site: Site,
  round: number,
  { kind, acks, cut }: Torn,
): Promise<{ lost: number; told: number; left: number }> {
  const profile = join(folder, `profile-${round}`)
  let all = acks
  let lost = 0
  let told = 0
  for (let opening = 0; opening < 3; opening++) {
    const browser = await startBrowser(ground, profile)
    if (kind === 'without scrub') await browser.context.addInitScript(hideChromium)
    try {
      const page = await browser.open(site.url)
      const found = await page.evaluate(([open, list]) => loads.look(open, list), [
        optionsOf(kind),
        all,
      ] as const)
      const warned = found.warnings.filter((each) => each.startsWith('DATA_LOSS')).length
      if (found.missing.length > 0)
        say(`round ${round}, ${kind}, cut ${cut}: ${found.missing.length} missing ${found.warnings.join()}`)
      lost += found.missing.length
      told += warned
      if (kind === 'without scrub' && found.missing.length > 0) return { lost, told, left: 0 }
      const isOurs = kind === 'our own' && opening === 0
      const problem = isOurs ? whatIsWrong(found) : found.missing.length + warned > 0 ? 'lost' : undefined
      if (problem !== undefined || found.wrong.length > 0 || hasFaults(found))
        throw broken(`round ${round}, ${kind}, opening ${opening}: ${problem ?? 'faults'}`, { cut, ...found })
      const left = all.filter((each) => each.did === 'save' && !found.lost.includes(each.id))
      const more = await page.evaluate(([open, thread]) => loads.saveSome(open, thread, 20), [
        optionsOf(kind),
        `after ${opening}`,
      ] as const)
      all = [...left, ...more]
    } finally {
      await browser.close()
    }
  }
  rmSync(profile, { recursive: true, force: true })
  return { lost, told, left: all.length }
}

/** What was cut off is the end of the thread, and it is told how far that had come and how far it comes now. */
function whatIsWrong({ missing, middle, warnings, told }: Findings): string | undefined {
  const losses = warnings.filter((each) => each.startsWith('DATA_LOSS')).length
  if (missing.length === 0) return losses > 0 ? 'told a loss where there was none' : undefined
  if (middle.length > 0) return 'lost more than the end'
  const [head, ...others] = told
  const isRight = head?.expected === SAVES && (head.found ?? 0) === SAVES - missing.length
  return losses === 1 && others.length === 0 && isRight ? undefined : 'a loss was not told as it is'
}

/** That there was a loss is kept until it is acknowledged. */
const hasFaults = ({ problems }: Findings): boolean =>
  problems.some((each) => !each.includes('"kind":"loss"'))

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
