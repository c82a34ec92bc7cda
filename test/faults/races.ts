import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { startBrowser } from './support/browser.ts'
import { overPlainHttp, PLAIN_HTTP } from './support/plain-http.ts'
import { broken, type Figures, type Proof } from './support/proof.ts'
import { lineOf } from './support/run.ts'
import { openSite } from './support/site.ts'

const TABS = 8

/** Eight tabs at once on the same threads. A round is a save of each tab. */
export default {
  promise: 'tabs that write at once never lose a save, never share a seq, and never break a state',
  rounds: { short: 25, long: 500 },
  on: ['chromium', 'chromium-sqlite', 'firefox'],
  async run({ rounds, ground, folder, say }) {
    const site = await openSite(folder)
    const browser = await startBrowser(
      ground,
      join(folder, 'profile'),
      ground === 'firefox' ? {} : PLAIN_HTTP,
    )
    const open = async (url: string): Promise<Page[]> => {
      const pages: Page[] = []
      for (let tab = 0; tab < TABS; tab++) pages.push(await browser.open(url))
      return pages
    }
    try {
      const pages = await open(site.url)
      const timed = async (work: Promise<Figures>): Promise<Figures> => {
        const started = Date.now()
        const figures = await work
        say(`${lineOf(figures)} in ${((Date.now() - started) / 1000).toFixed(1)} s`)
        return figures
      }
      return {
        ...(await timed(sameThread(pages, 'plain', rounds))),
        ...(await timed(sameThread(pages, 'expecting', rounds))),
        ...(await timed(removedMeanwhile(pages, rounds))),
        // Only Chromium is told of another name for the site by a flag.
        ...(ground === 'firefox'
          ? {}
          : await timed(sameThread(await open(overPlainHttp(site.url)), 'lockless', Math.ceil(rounds / 2)))),
      }
    } finally {
      await browser.close()
      await site.close()
    }
  },
} satisfies Proof

/** All tabs save to one thread; with `expect`, each tries until its own guess of the head holds. */
async function sameThread(
  pages: readonly Page[],
  name: 'plain' | 'expecting' | 'lockless',
  saves: number,
): Promise<Figures> {
  const expecting = name === 'expecting'
  const perTab = await Promise.all(
    pages.map((page, tab) =>
      page.evaluate((load) => loads.raceToSave(load), { name, tab, saves, expecting }),
    ),
  )
  const seqs = perTab.flatMap((each) => each.saved.map(({ seq }) => seq)).sort((a, b) => a - b)
  const wanted = TABS * saves
  if (seqs.length !== wanted || seqs.some((seq, i) => seq !== i + 1))
    throw broken('seqs are not 1 to the number of saves', { name, wanted, got: seqs.length })
  const acks = perTab.flatMap((each) => each.saved)
  const [judge] = pages
  const found = await judge?.evaluate(([name, acks]) => loads.look({ name }, acks), [name, acks] as const)
  if (found?.checked !== wanted || found.missing.length + found.wrong.length + found.problems.length > 0)
    throw broken('what was saved is not what is there', { name, ...found })
  const conflicts = perTab.reduce((sum, each) => sum + each.conflicts, 0)
  return { [`${name} saves`]: wanted, ...(expecting ? { conflicts } : {}) }
}

/** Half of the tabs save and fork, the others prune and delete the same threads. */
async function removedMeanwhile(pages: readonly Page[], saves: number): Promise<Figures> {
  const results = await Promise.all(
    pages.map((page, tab) =>
      page.evaluate((load) => (load.tab % 2 ? loads.raceToRemove(load) : loads.raceToFork(load)), {
        tab,
        saves,
      }),
    ),
  )
  const [judge] = pages
  const found = await judge?.evaluate(() => loads.readEverything({ name: 'removed' }))
  if (!found || found.problems.length + found.wrong.length > 0) throw broken('after removals', found)
  const surprises = results.flatMap(({ surprises }) => surprises)
  if (surprises.length > 0) throw broken('calls failed for no good reason', surprises.slice(0, 5))
  const sum = (name: 'done'): number => results.reduce((total, each) => total + each[name], 0)
  return { 'mixed calls': sum('done'), 'states read afterwards': found.checked }
}
