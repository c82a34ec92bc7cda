import { join } from 'node:path'
import { overPlainHttp, PLAIN_HTTP } from './support/plain-http.ts'
import type { Kept, Kind, Racer } from './page/races.ts'
import type { OpenPage } from './support/channel.ts'
import { broken, type Figures, type Proof } from './support/proof.ts'
import { lineOf } from './support/run.ts'
import { openSite } from './support/site.ts'
import { startAnyBrowser } from './support/webkit.ts'

const TABS = 8
/** Of these tabs; one of them forks, the other removes. */
const WITHOUT_WORKER = [2, 5]

/** Eight tabs at once on the same threads, two of them without workers, and a service worker. A round is a save of each. */
export default {
  promise: 'tabs that write at once never lose a save, never share a seq, and never break a state',
  rounds: { short: 25, long: 500 },
  on: ['chromium', 'chromium-sqlite', 'firefox', 'webkit'],
  shortElsewhere: { rounds: 5, on: ['chromium-sqlite', 'firefox'] },
  async run({ rounds, ground, folder, say }) {
    const site = await openSite()
    const isChromium = ground.startsWith('chromium')
    const browser = await startAnyBrowser(ground, join(folder, 'profile'), isChromium ? PLAIN_HTTP : {})
    const open = async (url: string): Promise<OpenPage[]> => {
      const pages: OpenPage[] = []
      for (let tab = 0; tab < TABS; tab++) pages.push(await browser.open(url))
      return pages
    }
    try {
      const pages = await open(site.url)
      const runners = runnersOf(pages, isChromium)
      const timed = async (work: Promise<Figures>): Promise<Figures> => {
        const started = Date.now()
        const figures = await work
        say(`${lineOf(figures)} in ${((Date.now() - started) / 1000).toFixed(1)} s`)
        return figures
      }
      return {
        ...(await timed(sameThread(runners, 'plain', rounds))),
        ...(await timed(sameThread(runners, 'expecting', rounds))),
        ...(await timed(removedMeanwhile(runners, rounds))),
        // Only Chromium is told of another name for the site by a flag.
        ...(isChromium
          ? await timed(
              // Where there are no locks, there are no service workers either.
              sameThread(
                runnersOf(await open(overPlainHttp(site.url)), false),
                'lockless',
                Math.ceil(rounds / 2),
              ),
            )
          : {}),
      }
    } finally {
      await browser.close()
      await site.close()
    }
  },
} satisfies Proof

/** A page, and where in it things are done. */
interface Runner {
  readonly page: OpenPage
  readonly where: Racer['where']
}

/** A service worker is one for all tabs, and beside them. Modules are service workers in Chromium alone. */
const runnersOf = (pages: readonly OpenPage[], withService: boolean): Runner[] => [
  ...pages.map((page, i): Runner => ({ page, where: WITHOUT_WORKER.includes(i) ? 'page' : 'worker' })),
  ...pages.slice(0, withService ? 1 : 0).map((page): Runner => ({ page, where: 'service worker' })),
]

function racing<K extends Kind>(
  { page, where }: Runner,
  kind: K,
  about: Pick<Racer, 'tab' | 'name' | 'times' | 'expecting'>,
): Promise<Kept<K>[]> {
  // Who removes does so until the others have ended, more or less.
  const racer: Racer = { ...about, where, from: 0, to: kind === 'remove' ? 2 * about.times : about.times }
  const started = page.evaluate(([of, load]) => loads.race(of, load), [kind, racer] as const)
  return started as Promise<Kept<K>[]>
}

/** All save to one thread; with `expect`, each tries until its own guess of the head holds. */
async function sameThread(
  runners: readonly Runner[],
  name: 'plain' | 'expecting' | 'lockless',
  times: number,
): Promise<Figures> {
  const expecting = name === 'expecting'
  const parts = await Promise.all(
    runners.map((runner, tab) => racing(runner, 'save', { tab, name, times, expecting })),
  )
  const all = parts.flat()
  const acks = all.flatMap(({ saved }) => saved)
  const seqs = acks.map(({ seq }) => seq).sort((a, b) => a - b)
  const wanted = runners.length * times
  if (seqs.length !== wanted || seqs.some((seq, i) => seq !== i + 1))
    throw broken('seqs are not 1 to the number of saves', { name, wanted, got: seqs.length })
  const found = await runners[0]?.page.evaluate(([name, acks]) => loads.look({ name }, acks), [
    name,
    acks,
  ] as const)
  if (found?.checked !== wanted || found.missing.length + found.wrong.length + found.problems.length > 0)
    throw broken('what was saved is not what is there', { name, ...found })
  const elsewhere = all.flatMap((each) => each.elsewhere)
  if (elsewhere.length > 0) throw broken('saves are not where they were expected', elsewhere.slice(0, 5))
  const conflicts = all.reduce((sum, each) => sum + each.conflicts, 0)
  // All have begun by expecting an empty thread.
  if (expecting && conflicts < runners.length - 1)
    throw broken('what was expected did not matter', { conflicts })
  return { [`${name} saves`]: wanted, ...(expecting ? { conflicts } : {}) }
}

/** Half of them save and fork, the others prune and delete the same threads. */
async function removedMeanwhile(runners: readonly Runner[], times: number): Promise<Figures> {
  const name = 'removed'
  const parts = await Promise.all(
    runners.map((runner, tab) => racing(runner, tab % 2 ? 'remove' : 'fork', { tab, name, times })),
  )
  const all = parts.flat()
  const kept = {
    saves: all.flatMap(({ saves }) => saves),
    forks: all.flatMap(({ forks }) => forks),
    deleted: all.flatMap(({ deleted }) => deleted),
  }
  const found = await runners[0]?.page.evaluate(([name, kept]) => loads.readEverything(name, kept), [
    name,
    kept,
  ] as const)
  if (!found || found.problems.length + found.wrong.length > 0) throw broken('after removals', found)
  const surprises = all.flatMap(({ surprises }) => surprises)
  if (surprises.length > 0) throw broken('calls failed for no good reason', surprises.slice(0, 5))
  if (found.looked === 0) throw broken('nothing was left to look for', { forks: kept.forks.length })
  const done = all.reduce((total, each) => total + each.done, 0)
  return {
    'mixed calls': done,
    'states read afterwards': found.checked,
    'looked for one by one': found.looked,
    'in a service worker': runners.filter(({ where }) => where === 'service worker').length,
    'without a worker': runners.filter(({ where }) => where === 'page').length,
  }
}
