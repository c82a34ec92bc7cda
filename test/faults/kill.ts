import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ack, Findings } from './page/loads.ts'
import { startBrowser } from './support/browser.ts'
import { judge } from './support/judge.ts'
import type { Proof, ProofContext } from './support/proof.ts'
import { openSite, type Site } from './support/site.ts'

const TABS = 4
/** A profile grows with each round; a new one now and then keeps the looking quick. */
const ROUNDS_A_PROFILE = 10

/** `kill -9` of the whole browser, four tabs at work; then opened twice, with saves in between. */
export default {
  promise:
    'after kill -9 of the browser every synced save is there, and of others a beginning, which is told',
  rounds: { short: 2, long: 200 },
  on: ['chromium', 'chromium-sqlite', 'firefox'],
  async run(context) {
    const site = await openSite(context.folder)
    const sums = { killed: 0, acknowledged: 0, checked: 0, lost: 0, told: 0 }
    try {
      for (let round = 0; round < context.rounds; round++) {
        const profile = join(context.folder, `profile-${Math.floor(round / ROUNDS_A_PROFILE)}`)
        const acks = await killInMidWork(context, site, profile, round)
        const first = await lookAgain(context, site, profile, round, acks)
        // What was lost, and told, is gone; no more may be.
        const left = acks.filter((each) => each.did !== 'save' || !first.found.lost.includes(each.id))
        const second = await lookAgain(context, site, profile, round, [...left, ...first.more])
        sums.killed++
        sums.acknowledged += acks.filter((each) => each.did === 'save').length
        sums.checked += first.found.checked + second.found.checked
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
  const browser = await startBrowser(ground, profile)
  for (let tab = 0; tab < TABS; tab++) {
    const page = await browser.open(site.url)
    const options = { name: 'killed', tab: `${round}.${tab}`, durability: durabilityOf(round) }
    // It ends with the browser.
    void page.evaluate((load) => loads.mixedLoad(load), options).catch(() => {})
  }
  for (let waited = 0; site.acks.length === 0 && waited < 10_000; waited += 5) await sleep(5)
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
): Promise<{ found: Findings; more: Ack[] }> {
  const browser = await startBrowser(ground, profile)
  try {
    const page = await browser.open(site.url)
    const found = await page.evaluate((list) => loads.look({ name: 'killed' }, list), acks)
    judge(`round ${round}`, found, durabilityOf(round))
    const more = await page.evaluate((id) => loads.saveSome({ name: 'killed' }, id, 20), `after ${round}`)
    return { found, more }
  } finally {
    await browser.close()
  }
}
