import { join } from 'node:path'
import { inMemory } from './support/flippable.ts'
import { flipRows } from './support/flips.ts'
import { broken, type Figures, type Proof, type ProofContext } from './support/proof.ts'
import { openSite } from './support/site.ts'
import { startAnyBrowser } from './support/webkit.ts'

/** So many at a time, so that whoever watches hears of it. */
const AT_ONCE = 100

/**
 * One byte of one row is changed, and that is a round; in between a row is gone, or its version is another. It is found; nothing wrong is read; a repair leaves a store
 * without a fault, in which all that did not need the row reads as before.
 */
export default {
  promise: 'one byte of one row changed, or one row gone: found, never read as right, and mended',
  rounds: { short: 60, long: 1000 },
  on: ['node', 'chromium', 'chromium-sqlite', 'firefox', 'webkit'],
  async run(context) {
    if (context.ground !== 'node') return inPage(context)
    const flippable = await inMemory()
    return byHundreds(context, (rounds) => flipRows(flippable, rounds, context.random))
  },
} satisfies Proof

async function inPage(context: ProofContext): Promise<Figures> {
  const site = await openSite()
  const browser = await startAnyBrowser(context.ground, join(context.folder, 'profile'))
  try {
    const page = await browser.open(site.url)
    return await byHundreds(context, (rounds) =>
      page.evaluate((load) => loads.flip(load), { rounds, seed: Math.floor(context.random() * 2 ** 31) }),
    )
  } finally {
    await browser.close()
    await site.close()
  }
}

async function byHundreds(
  { rounds, say }: ProofContext,
  some: (rounds: number) => Promise<Figures>,
): Promise<Figures> {
  const sums: Record<string, number> = {}
  for (let done = 0; done < rounds; done += AT_ONCE) {
    const figures = await some(Math.min(AT_ONCE, rounds - done))
    for (const [name, value] of Object.entries(figures)) sums[name] = (sums[name] ?? 0) + Number(value)
    say(`${sums['flips']} flips, ${sums['flips found']} found; ${sums['damages']} damages`)
  }
  if (sums['flips'] !== rounds || sums['flips found'] !== rounds)
    throw broken('not every round was a byte that was changed and found', sums)
  return sums
}
