import { join } from 'node:path'
import { startBrowser } from './support/browser.ts'
import { broken, type Proof } from './support/proof.ts'
import { openSite } from './support/site.ts'

/** As many as run beside the scrub, more or less. */
const SAVES = 40
const MOST = 2
/** With fewer rounds the machine's other work says more than ours, */
const ENOUGH_ROUNDS = 12
/** so then the best of them may take so many ms more; a scrub that is given up takes a second. */
const FEW_ROUNDS_MORE = 150

type Kind = 'clean' | 'unclean'
const KINDS: readonly Kind[] = ['clean', 'unclean']

/** A measure of each round, after a session that was killed, and after one that was not. */
class Pair {
  readonly #of: Record<Kind, number[]> = { clean: [], unclean: [] }

  add(kind: Kind, ms: number): void {
    this.#of[kind].push(ms)
  }

  median(kind: Kind): number {
    return this.#of[kind].toSorted((a, b) => a - b)[this.#of[kind].length >> 1] ?? 0
  }

  get ratio(): number {
    return this.median('unclean') / this.median('clean')
  }

  get isHeldUp(): boolean {
    const { clean, unclean } = this.#of
    if (clean.length >= ENOUGH_ROUNDS) return this.ratio > MOST
    return Math.min(...unclean) > MOST * Math.min(...clean) + FEW_ROUNDS_MORE
  }
}

/** The first saves after a session that was killed, and after one that was not, by turns in one browser. */
export default {
  promise:
    'the scrub after an unclean end makes neither the first save nor those after it take twice as long',
  rounds: { short: 2, long: 30 },
  on: ['chromium'],
  isTimed: true,
  elsewhere: {
    'chromium-sqlite': 'the cost is that of the log of LevelDB',
    firefox: 'nothing is scrubbed there',
    webkit: 'nothing is scrubbed there',
  },
  async run({ ground, folder, rounds }) {
    const site = await openSite()
    const browser = await startBrowser(ground, join(folder, 'profile'))
    const all = new Pair()
    const first = new Pair()
    const opening = new Pair()
    const slowest = new Pair()
    try {
      for (let round = 0; round < rounds; round++) {
        for (const kind of round % 2 === 0 ? KINDS : KINDS.toReversed()) {
          const page = await browser.open(site.url)
          const { times, fromOpening } = await page.evaluate(
            ([open, isUnclean, count]) => loads.timeFirstSaves(open, isUnclean, count),
            [{ name: `timed ${round} ${kind}` }, kind === 'unclean', SAVES] as const,
          )
          all.add(
            kind,
            times.reduce((sum, time) => sum + time, 0),
          )
          first.add(kind, times[0] ?? 0)
          opening.add(kind, fromOpening)
          slowest.add(kind, Math.max(...times))
          await page.close()
        }
      }
    } finally {
      await browser.close()
      await site.close()
    }
    const figures = {
      [`ms for ${SAVES} saves`]: all.median('clean'),
      'beside the scrub': all.median('unclean'),
      ratio: all.ratio,
      'first save': first.median('clean'),
      'first beside the scrub': first.median('unclean'),
      'ratio of the first': first.ratio,
      'opening and first save': opening.median('clean'),
      'those beside the scrub': opening.median('unclean'),
      'slowest save': slowest.median('clean'),
      'slowest beside the scrub': slowest.median('unclean'),
    }
    if (all.isHeldUp || first.isHeldUp || opening.isHeldUp) throw broken('the scrub holds up saves', figures)
    return figures
  },
} satisfies Proof
