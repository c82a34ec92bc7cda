import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ack, Findings } from './page/loads.ts'
import { makeDisk, noDisk, type Disk } from './support/disk.ts'
import { judge } from './support/judge.ts'
import type { Proof, ProofContext } from './support/proof.ts'
import { firstAck, openSite, type Site } from './support/site.ts'
import { startAnyBrowser } from './support/webkit.ts'

const TABS = 2

/** The browser stands still, the disk is copied as it is, and another browser starts from the copy. */
export default {
  promise: 'after a power cut every synced save is there, and of others a beginning, which is told',
  rounds: { short: 2, long: 60 },
  on: ['chromium', 'chromium-sqlite', 'firefox', 'webkit'],
  missing: noDisk,
  async run(context) {
    const site = await openSite()
    const sums = { cuts: 0, acknowledged: 0, checked: 0, lost: 0, told: 0 }
    try {
      for (let round = 0; round < context.rounds; round++) {
        const { acks, disk } = await cutInMidWork(context, site, round)
        try {
          const found = await lookAgain(context, site, disk, acks)
          judge(`cut ${round}`, found, durabilityOf(round))
          sums.checked += found.checked
          sums.lost += found.missing.length
          sums.told += found.warnings.length
        } finally {
          disk.remove()
        }
        sums.cuts++
        sums.acknowledged += acks.filter((each) => each.did === 'save').length
      }
      return sums
    } finally {
      await site.close()
    }
  },
} satisfies Proof

const durabilityOf = (round: number): 'sync' | 'async' => (round % 2 ? 'async' : 'sync')

async function cutInMidWork(
  { ground, folder, random }: ProofContext,
  site: Site,
  round: number,
): Promise<{ acks: Ack[]; disk: Disk }> {
  site.acks.length = 0
  const disk = makeDisk(folder, `disk-${round}`)
  try {
    const browser = await startAnyBrowser(ground, join(disk.path, 'profile'))
    for (let tab = 0; tab < TABS; tab++) {
      const page = await browser.open(site.url)
      const options = { name: 'cut', tab: `${tab}`, durability: durabilityOf(round) }
      // It ends with the browser.
      void page.evaluate((load) => loads.mixedLoad(load), options).catch(() => {})
    }
    await firstAck(site)
    await sleep(300 + random() * 2_500)
    browser.stop()
    const acks = [...site.acks] as Ack[]
    const copy = disk.copy(`copy-${round}`)
    await browser.kill()
    return { acks, disk: copy }
  } finally {
    disk.remove()
  }
}

async function lookAgain(
  { ground }: ProofContext,
  site: Site,
  disk: Disk,
  acks: readonly Ack[],
): Promise<Findings> {
  const browser = await startAnyBrowser(ground, join(disk.path, 'profile'))
  try {
    const page = await browser.open(site.url)
    return await page.evaluate((list) => loads.look({ name: 'cut' }, list), acks)
  } finally {
    await browser.close()
  }
}
