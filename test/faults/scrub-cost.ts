import { join } from 'node:path'
import { startBrowser } from './support/browser.ts'
import { broken, type Proof } from './support/proof.ts'
import { openSite } from './support/site.ts'

/** As many as run beside the scrub, more or less. */
const SAVES = 40
const MOST = 2
/** With fewer rounds the machine's other work says more than ours. */
const ENOUGH_ROUNDS = 12

/** The first saves after a session that was killed, and after one that was not, by turns in one browser. */
export default {
  promise: 'the scrub after an unclean end does not make the first saves take twice as long',
  rounds: { short: 2, long: 30 },
  on: ['chromium'],
  async run({ ground, folder, rounds }) {
    const site = await openSite(folder)
    const browser = await startBrowser(ground, join(folder, 'profile'))
    const sums = { clean: [] as number[], unclean: [] as number[] }
    const worst = { clean: [] as number[], unclean: [] as number[] }
    try {
      for (let round = 0; round < rounds; round++) {
        for (const kind of round % 2 === 0
          ? (['clean', 'unclean'] as const)
          : (['unclean', 'clean'] as const)) {
          const page = await browser.open(site.url)
          const times = await page.evaluate(
            ([open, isUnclean, count]) => loads.timeFirstSaves(open, isUnclean, count),
            [{ name: `timed ${round} ${kind}` }, kind === 'unclean', SAVES] as const,
          )
          sums[kind].push(times.reduce((sum, time) => sum + time, 0))
          worst[kind].push(Math.max(...times))
          await page.close()
        }
      }
    } finally {
      await browser.close()
      await site.close()
    }
    const ratio = median(sums.unclean) / median(sums.clean)
    const figures = {
      [`ms for ${SAVES} saves`]: median(sums.clean),
      'beside the scrub': median(sums.unclean),
      ratio,
      'slowest save': median(worst.clean),
      'slowest beside the scrub': median(worst.unclean),
    }
    if (rounds >= ENOUGH_ROUNDS && ratio > MOST) throw broken('the scrub holds up saves', figures)
    return figures
  },
} satisfies Proof

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
