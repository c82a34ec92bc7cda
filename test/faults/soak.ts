import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { startBrowser } from './support/browser.ts'
import { Heaps } from './support/heaps.ts'
import { broken, type Figures, type Proof } from './support/proof.ts'
import { openSite } from './support/site.ts'

/** The run is looked at so often, in five fifths of this. */
const LOOKS = 25
const SAVES_A_THREAD = 250
/** Twice of what the policy keeps of a thread; all of its checkpoints would weigh more than twice of this. */
const CEILING_A_THREAD = 70_000
/** Beside what was handed to it the engine keeps logs, and what it has not cleaned up yet. */
const ENGINE = { times: 4, bytes: 64_000_000 }
/** Memory is level when it ends not above what it was in the second fifth, but for a little. */
const LEVEL = { times: 1.2, bytes: 4_000_000 }
const MB = 1_000_000

interface Look {
  readonly page: number
  readonly worker: number
  readonly stored: number
  readonly disk: number
}

/** 50,000 saves with retention on. A round is a save. */
export default {
  promise: 'with retention on, memory stays level and the disk under its ceiling, however long it goes on',
  rounds: { short: 3_000, long: 50_000 },
  on: ['chromium', 'chromium-sqlite'],
  isTimed: true,
  elsewhere: {
    firefox: 'only the DevTools protocol tells the memory of a page and its worker',
    webkit: 'only the DevTools protocol tells the memory of a page and its worker',
  },
  async run({ rounds, ground, folder, say }) {
    const threads = Math.max(1, Math.round(rounds / SAVES_A_THREAD))
    const maxBytes = threads * CEILING_A_THREAD
    const options = { name: 'soak', threads, retention: { keepLast: 20, maxBytes } }
    const profile = join(folder, 'profile')
    const site = await openSite()
    const browser = await startBrowser(ground, profile)
    try {
      const page = await browser.open(site.url)
      const looks: Look[] = []
      let heaps: Heaps | undefined
      const saves = Math.ceil(rounds / LOOKS)
      const started = Date.now()
      for (let i = 0; i < LOOKS; i++) {
        await page.evaluate(([load, from, count]) => loads.soak(load, from, count), [
          options,
          i * saves,
          saves,
        ] as const)
        heaps ??= await Heaps.of(page)
        const look = await lookAt(page, heaps, profile, maxBytes)
        looks.push(look)
        say(`${(i + 1) * saves} saves: ${textOf(look)}`)
      }
      const seconds = (Date.now() - started) / 1000
      const { warnings } = await page.evaluate(() => loads.soaked())
      const end = await page.evaluate(() => loads.soakedWhole())
      if (end.wrong.length + end.problems.length + warnings.length > 0)
        throw broken('after all', { end, warnings })
      return {
        saves: saves * LOOKS,
        threads,
        ...judged(looks, maxBytes),
        'longest thread': end.longest,
        s: Math.round(seconds),
      }
    } finally {
      await browser.close()
      await site.close()
    }
  },
} satisfies Proof

/** With what the background still has to do given a moment, and the garbage collected. */
async function lookAt(page: Page, heaps: Heaps, profile: string, maxBytes: number): Promise<Look> {
  let { bytes } = await page.evaluate(() => loads.soaked())
  for (let waited = 0; bytes > maxBytes && waited < 20; waited++) {
    await sleep(250)
    ;({ bytes } = await page.evaluate(() => loads.soaked()))
  }
  return {
    page: await heaps.ofPage(),
    worker: await heaps.ofWorker(),
    stored: bytes,
    disk: sizeOf(join(profile, 'Default', 'IndexedDB')),
  }
}

function judged(looks: readonly Look[], maxBytes: number): Figures {
  const fifth = LOOKS / 5
  const figures: Record<string, string> = {}
  for (const where of ['page', 'worker'] as const) {
    const sizes = looks.map((look) => look[where])
    const before = median(sizes.slice(fifth, 2 * fifth))
    const after = median(sizes.slice(-fifth))
    if (after > before * LEVEL.times + LEVEL.bytes)
      throw broken(`memory of the ${where} grows`, { before, after, sizes })
    figures[`memory of the ${where}, second and last fifth`] = `${mb(before)}, ${mb(after)}`
  }
  const stored = Math.max(...looks.map((look) => look.stored))
  if (stored > maxBytes) throw broken('more is stored than the ceiling allows', { stored, maxBytes })
  const disk = Math.max(...looks.map((look) => look.disk))
  if (disk > maxBytes * ENGINE.times + ENGINE.bytes) throw broken('the disk fills up', { disk, maxBytes })
  return { ...figures, 'stored at most': `${mb(stored)} of ${mb(maxBytes)}`, 'on disk at most': mb(disk) }
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce(
      (sum, entry) =>
        sum + (statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    )
}

const median = (sizes: readonly number[]): number =>
  sizes.toSorted((a, b) => a - b)[Math.floor(sizes.length / 2)] ?? 0
const mb = (bytes: number): string => `${(bytes / MB).toFixed(1)} MB`
const textOf = ({ page, worker, stored, disk }: Look): string =>
  `page ${mb(page)}, worker ${mb(worker)}, stored ${mb(stored)}, disk ${mb(disk)}`
