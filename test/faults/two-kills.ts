import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ack, Findings } from './page/loads.ts'
import { judge } from './support/judge.ts'
import { broken, type Proof, type ProofContext } from './support/proof.ts'
import { firstAck, openSite, type Site } from './support/site.ts'
import { startAnyBrowser } from './support/webkit.ts'

const NAMES = ['one', 'two', 'three', 'four'] as const
/** A profile grows with each round; a new one now and then keeps the looking quick. */
const ROUNDS_A_PROFILE = 10
/** Milliseconds in which the second kill comes, from the moment at which all databases are opened. */
const SOON = 800

/**
 * The browser is killed, started, and killed again while each of several databases sees to what the first kill has
 * left. That used to cost all of them at once: see "One write of a database at a time" in ARCHITECTURE.md.
 */
export default {
  promise: 'a browser that is killed twice within a second loses nothing, in any of its databases',
  rounds: { short: 1, long: 120 },
  on: ['chromium', 'chromium-sqlite', 'firefox', 'webkit'],
  async run(context) {
    const site = await openSite()
    const sums = { kills: 0, acknowledged: 0, checked: 0, lost: 0, told: 0, silent: 0 }
    try {
      for (let round = 0; round < context.rounds; round++) {
        const at = { site, profile: join(context.folder, `profile-${Math.floor(round / ROUNDS_A_PROFILE)}`) }
        const acks = [
          ...(await killAtWork(context, at, {
            tab: `${round}.a`,
            atWork: true,
            after: 300 + context.random() * 900,
          })),
          ...(await killAtWork(context, at, { tab: `${round}.b`, after: context.random() * SOON })),
        ]
        sums.kills += 2
        sums.acknowledged += acks.filter(({ did }) => did === 'save').length
        for (const [name, found] of await lookAtAll(context, at, acks)) {
          sums.checked += found.checked
          const isTold = found.warnings.some((warning) => warning.startsWith('DATA_LOSS'))
          const isLost = found.missing.length > 0
          if (isLost) sums.lost++
          if (isTold) sums.told++
          if (isLost && !isTold) sums.silent++
          if (isLost || isTold) context.say(`round ${round}, ${name}: ${found.warnings.join(' ')}`)
          else judge(`round ${round}, ${name}`, found, 'sync')
        }
        if (round % 10 === 9) context.say(JSON.stringify(sums))
      }
      if (sums.lost + sums.told > 0) throw broken('something was lost', sums)
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

/** Works in every database at once, until it is killed: so long after a first save was acknowledged, or after all were opened. */
async function killAtWork(
  { ground }: ProofContext,
  { site, profile }: At,
  { tab, atWork = false, after }: { readonly tab: string; readonly atWork?: boolean; readonly after: number },
): Promise<Ack[]> {
  site.acks.length = 0
  const browser = await startAnyBrowser(ground, profile)
  const pages = await Promise.all(NAMES.map(async (name) => [name, await browser.open(site.url)] as const))
  // They end with the browser.
  for (const [name, page] of pages)
    void page.evaluate((load) => loads.mixedLoad(load), { name, tab }).catch(() => {})
  if (atWork) await firstAck(site)
  await sleep(after)
  await browser.kill()
  return [...site.acks] as Ack[]
}

async function lookAtAll(
  { ground }: ProofContext,
  { site, profile }: At,
  acks: readonly Ack[],
): Promise<(readonly [name: string, found: Findings])[]> {
  const browser = await startAnyBrowser(ground, profile)
  try {
    const found: (readonly [string, Findings])[] = []
    for (const name of NAMES) {
      const page = await browser.open(site.url)
      const own = acks.filter((each) => each.name === name)
      found.push([
        name,
        await page.evaluate(([id, list]) => loads.look({ name: id }, list), [name, own] as const),
      ])
      await page.close()
    }
    return found
  } finally {
    await browser.close()
  }
}
