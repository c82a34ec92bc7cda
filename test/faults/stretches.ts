import { join } from 'node:path'
import type { Kind } from './page/long-work.ts'
import { startBrowser } from './support/browser.ts'
import { broken, type Proof, type ProofContext } from './support/proof.ts'
import { openSite, type Site } from './support/site.ts'
import { longestTask, type Longest } from './support/timeline.ts'

/** A round is one of these. */
const KINDS: readonly Kind[] = ['many messages', 'one text', 'many checkpoints']
/** Milliseconds, which are those of the processor: the machine may be busy with something else. */
const MOST = 8
/** From so many rounds on, nine in ten of each work must be below that; with fewer the machine's other work says more than ours. */
const ENOUGH_ROUNDS = 30
const SHARE = 0.9
/** Until then the least of a few tries counts, and a slow machine may take this part of what it takes for a parse of 10 MB at once. */
const TRIES = 3
const AT_ONCE = 'parse at once'
const PART = 0.8

type Measured = Map<string, Longest[]>

/** All long work, done by the page itself on 10 MB and on 2,000 checkpoints; its longest task each time, without the engine's collection of garbage. */
export default {
  promise: 'long work in the page itself never holds it for more than 8 ms at a stretch',
  rounds: { short: 1, long: 60 },
  on: ['chromium'],
  isTimed: true,
  elsewhere: {
    'chromium-sqlite': 'the page does the same there',
    firefox: 'only Chromium records tasks with their time of the processor',
    webkit: 'only Chromium records tasks with their time of the processor',
  },
  async run(context) {
    const { rounds, say } = context
    const site = await openSite()
    const longest: Measured = new Map()
    try {
      for (let round = 0; round < rounds; round++) {
        await measure(context, site, round, KINDS[round % KINDS.length] as Kind, longest)
        say(`${round + 1} of ${rounds}`)
      }
      for (let tried = 1; rounds < KINDS.length && tried < TRIES && tooLate(longest).length > 0; tried++) {
        say(`again, as of ${JSON.stringify(tooLate(longest))}`)
        for (const [i, kind] of KINDS.slice(0, rounds).entries())
          await measure(context, site, tried * rounds + i, kind, longest)
      }
    } finally {
      await site.close()
    }
    for (const [name, times] of longest) {
      const [all, ours] = [times.map(({ task }) => task), times.map(({ withoutGarbage }) => withoutGarbage)]
      say(`${name}: ${textOf(ours)}; with garbage ${textOf(all)}`)
    }
    const fewest = Math.min(...[...longest.values()].map(({ length }) => length))
    if (fewest < Math.floor(rounds / KINDS.length) / 2)
      throw broken('too little was recorded', [...longest.keys()])
    const late = rounds >= ENOUGH_ROUNDS ? mostlyLate(longest) : tooLate(longest)
    if (late.length > 0) throw broken('the page was held for longer', late)
    const ours = [...longest.values()].flat()
    return {
      measured: ours.length,
      ...worst('in the median', longest, 0.5),
      ...worst('of nine in ten', longest, SHARE),
      'the most with garbage': `${Math.max(...ours.map(({ task }) => task)).toFixed(1)} ms`,
    }
  },
} satisfies Proof

async function measure(
  { ground, folder, say }: ProofContext,
  site: Site,
  round: number,
  kind: Kind,
  longest: Measured,
): Promise<void> {
  const browser = await startBrowser(ground, join(folder, `profile-${round}`))
  try {
    const page = await browser.open(site.url)
    await page.evaluate((each) => longWork.fillForLongWork(each), kind)
    for (const work of await page.evaluate(() => longWork.WORKS)) {
      const names = [kind, work] as const
      const took = await longestTask(page, work, () =>
        page.evaluate(([each, what]) => longWork.doLongWork(each, what), names),
      )
      const name = `${kind}: ${work}`
      if (took) longest.set(name, [...(longest.get(name) ?? []), took])
      else say(`${name}: nothing was recorded`)
    }
  } finally {
    await browser.close()
  }
}

/** Those whose shortest was as long as if all were done at once. */
function tooLate(longest: Measured): readonly (readonly [string, number])[] {
  const atOnce = [...longest].flatMap(([name, times]) => (name.endsWith(AT_ONCE) ? times : []))
  const most = Math.max(MOST, PART * Math.min(...atOnce.map(({ withoutGarbage }) => withoutGarbage)))
  return timesOf(longest, 0).filter(([, time]) => time > most)
}

const mostlyLate = (longest: Measured): readonly (readonly [string, number])[] =>
  timesOf(longest, SHARE).filter(([, time]) => time > MOST)

const timesOf = (longest: Measured, share: number): (readonly [string, number])[] =>
  [...longest]
    .filter(([name]) => !name.endsWith(AT_ONCE))
    .map(([name, times]) => [
      name,
      shareOf(
        times.map(({ withoutGarbage }) => withoutGarbage),
        share,
      ),
    ])

function worst(which: string, longest: Measured, share: number): Record<string, string> {
  const [[name, ms] = ['nothing', 0]] = timesOf(longest, share).toSorted(([, a], [, b]) => b - a)
  return { [`the longest, ${which}`]: `${ms.toFixed(1)} ms (${name})` }
}

/** What this share of them is not above. */
const shareOf = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * share) - 1)] ?? 0

const textOf = (times: readonly number[]): string =>
  `${shareOf(times, 0.5).toFixed(1)} ms in the median, ${shareOf(times, SHARE).toFixed(1)} in nine of ten, ${Math.max(...times).toFixed(1)} at most`
