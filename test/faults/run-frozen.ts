import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Effects } from './support/effects.ts'
import { answerTo, checkErrands } from './support/errands.ts'
import { broken, type Proof } from './support/proof.ts'
import { openSite } from './support/site.ts'
import { startSleepyBrowser } from './support/sleepy-browser.ts'

/** More than the first tab can have done when it is frozen. */
const ERRANDS = 150
/** Nobody can write while a tab is frozen in mid-transaction: so long is it waited for. */
const STEALING_MS = 3_000

/** The tab that has a run is frozen, another takes the run over and ends it, and the first one wakes up. */
export default {
  promise: 'a runner that was frozen and replaced does nothing more when it wakes, and is told LEASE_LOST',
  rounds: { short: 1, long: 20 },
  on: ['chromium', 'chromium-sqlite'],
  mostlyWaits: true,
  elsewhere: {
    firefox: 'only the DevTools protocol freezes a tab',
    webkit: 'only the DevTools protocol freezes a tab',
  },
  async run({ rounds, ground, folder, random, say }) {
    let effects = new Effects()
    const site = await openSite((_, body) => answerTo(body, effects))
    const browser = await startSleepyBrowser(ground, join(folder, 'profile'))
    const sums = { 'taken over': 0, effects: 0, late: 0, decided: 0, again: 0, 'in mid-transaction': 0 }
    try {
      const [sleeper, successor] = [await browser.open(site.url), await browser.open(site.url)]
      await successor.evaluate(() => runRaces.readyToRun())
      for (let round = 0; sums['taken over'] < rounds; round++) {
        if (round > rounds * 5) throw broken('the tab is frozen in mid-transaction again and again', sums)
        effects = new Effects()
        const id = `frozen ${round}`
        await sleeper.bringToFront()
        const sleeping = sleeper.evaluate(
          ([thread, errands]) => runRaces.runErrands(thread, { tab: 'first', errands }),
          [id, ERRANDS] as const,
        )
        while (effects.done.length === 0) await sleep(5)
        await sleep(random() * 200)
        await successor.bringToFront()
        await browser.freeze(sleeper)
        const next = await successor.evaluate(([thread, run]) => runRaces.runErrands(thread, run), [
          id,
          { tab: 'next', errands: ERRANDS, steal: true, wait: STEALING_MS },
        ] as const)
        const before = effects.done.length
        await browser.wake(sleeper)
        const first = await sleeping
        if (next.end === 'BLOCKED') {
          sums['in mid-transaction']++
          continue
        }
        const found = await successor.evaluate((thread) => runRaces.errandsDone(thread), id)
        const about = { round, ends: [first, next], found }
        if (next.end !== 'resumed') throw broken('the run was not taken over', about)
        if (first.end !== 'LEASE_LOST' || first.signal !== 'LEASE_LOST')
          throw broken('the one that was replaced was not told', about)
        if (effects.done.length !== before) throw broken('the one that was replaced did something', about)
        checkErrands(about, ERRANDS, effects)
        sums['taken over']++
        sums.effects += effects.done.length
        sums.late += effects.late.length
        sums.decided += effects.decided
        sums.again += effects.again
        if (sums['taken over'] % 10 === 0) say(`${sums['taken over']} of ${rounds}`)
      }
      return sums
    } finally {
      await browser.close()
      await site.close()
    }
  },
} satisfies Proof
