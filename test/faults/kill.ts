import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ack, Findings } from './page/loads.ts'
import { judge } from './support/judge.ts'
import { broken, type Proof, type ProofContext } from './support/proof.ts'
import { firstAck, openSite, type Site } from './support/site.ts'
import { startAnyBrowser } from './support/webkit.ts'

const TABS = 4
/** A profile grows with each round; a new one now and then keeps the looking quick. */
const ROUNDS_A_PROFILE = 10

/** `kill -9` of the whole browser, four tabs at work; then opened twice, with saves in between. */
export default {
  promise:
    'after kill -9 of the browser every synced save is there, and of others a beginning, which is told',
  // Two of three are of synced saves: 200.
  rounds: { short: 2, long: 300 },
  on: ['chromium', 'chromium-sqlite', 'firefox', 'webkit'],
  shortElsewhere: { rounds: 1, on: ['chromium-sqlite', 'firefox'] },
  async run(context) {
    const site = await openSite()
    const sums = {
      killed: 0,
      'of synced saves': 0,
      acknowledged: 0,
      checked: 0,
      'of earlier rounds': 0,
      lost: 0,
      told: 0,
    }
    /** What the rounds before have left in this profile: nothing may ever take it. */
    let carried: readonly Ack[] = []
    try {
      for (let round = 0; round < context.rounds; round++) {
        if (round % ROUNDS_A_PROFILE === 0) carried = []
        const profile = join(context.folder, `profile-${Math.floor(round / ROUNDS_A_PROFILE)}`)
        const acks = await killInMidWork(context, site, profile, round)
        const first = await lookAgain(context, site, profile, round, acks, carried)
        // What was lost, and told, is gone; no more may be.
        const left = acks.filter((each) => each.did !== 'save' || !first.found.lost.includes(each.id))
        const kept = [...left, ...first.more]
        const second = await lookAgain(context, site, profile, round, kept, carried)
        carried = [...carried, ...kept, ...second.more]
        sums.killed++
        if (durabilityOf(round) === 'sync') sums['of synced saves']++
        sums.acknowledged += acks.filter((each) => each.did === 'save').length
        sums.checked += first.found.checked + second.found.checked
        sums['of earlier rounds'] += first.earlier + second.earlier
        sums.lost += first.found.missing.length
        sums.told += first.found.warnings.length
      }
      return sums
    } finally {
      await site.close()
    }
  },
} satisfies Proof

const durabilityOf = (round: number): 'sync' | 'async' => (round % 3 === 1 ? 'async' : 'sync')

async function killInMidWork(
  { ground, random }: ProofContext,
  site: Site,
  profile: string,
  round: number,
): Promise<Ack[]> {
  site.acks.length = 0
  const browser = await startAnyBrowser(ground, profile)
  for (let tab = 0; tab < TABS; tab++) {
    const page = await browser.open(site.url)
    const options = { name: 'killed', tab: `${round}.${tab}`, durability: durabilityOf(round) }
    // It ends with the browser.
    void page.evaluate((load) => loads.mixedLoad(load), options).catch(() => {})
  }
  await firstAck(site)
  await sleep(100 + random() * 1_200)
  await browser.kill()
  return [...site.acks] as Ack[]
}

async function lookAgain(
  { ground }: ProofContext,
  site: Site,
  profile: string,
  round: number,
  acks: readonly Ack[],
  carried: readonly Ack[],
): Promise<{ found: Findings; earlier: number; more: Ack[] }> {
  const browser = await startAnyBrowser(ground, profile)
  try {
    const page = await browser.open(site.url)
    const found = await page.evaluate((list) => loads.look({ name: 'killed' }, list), acks)
    judge(`round ${round}`, found, durabilityOf(round))
    const earlier = await page.evaluate((list) => loads.missingOf({ name: 'killed' }, list), carried)
    if (earlier.missing.length > 0)
      throw broken(`round ${round}, of the rounds before`, earlier.missing.slice(0, 10))
    const more = await page.evaluate((id) => loads.saveSome({ name: 'killed' }, id, 20), `after ${round}`)
    return { found, earlier: earlier.checked, more }
  } finally {
    await browser.close()
  }
}
