import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Effects } from './support/effects.ts'
import { answerTo, checkErrands } from './support/errands.ts'
import { broken, type Proof } from './support/proof.ts'
import { openSite } from './support/site.ts'
import { startAnyBrowser } from './support/webkit.ts'

const ERRANDS = 8
const OPTIONS = [{ wait: false }, { wait: true }, { steal: true }, { steal: true }]
/** Milliseconds by which one tab may come later than the other. */
const LATER = 40
/** How a tab may come out of it; refused by the world, too, when it has not heard yet that it was replaced. */
const ENDS = /^(fresh|resumed|already-finished|BLOCKED|LEASE_LOST|Error: the world has refused: late)$/

/** Two tabs want the same run, each in its way; the world sees who does what. A round is a thread. */
export default {
  promise: 'of two tabs that want a run one has it at any moment, and who was replaced records nothing',
  rounds: { short: 8, long: 200 },
  on: ['chromium', 'chromium-sqlite', 'firefox', 'webkit'],
  async run({ rounds, ground, folder, random, say }) {
    let effects = new Effects()
    const site = await openSite((_, body) => answerTo(body, effects))
    const browser = await startAnyBrowser(ground, join(folder, 'profile'))
    const sums = { races: 0, effects: 0, late: 0, decided: 0, again: 0, 'taken over': 0, BLOCKED: 0 }
    try {
      const tabs = [await browser.open(site.url), await browser.open(site.url)]
      for (let round = 0; round < rounds; round++) {
        effects = new Effects()
        const id = `race ${round}`
        const ends = await Promise.all(
          tabs.map(async (page, i) => {
            const way = OPTIONS[Math.floor(random() * OPTIONS.length)]
            const tab = `${i}`
            await sleep(random() * LATER)
            return page.evaluate(([thread, run]) => runRaces.runErrands(thread, run), [
              id,
              { ...way, tab, errands: ERRANDS },
            ] as const)
          }),
        )
        // One that lost it may have been the last to try.
        const [last] = tabs
        await last?.evaluate(([thread, run]) => runRaces.runErrands(thread, run), [
          id,
          { tab: 'last', errands: ERRANDS },
        ] as const)
        const found = await last?.evaluate((thread) => runRaces.errandsDone(thread), id)
        if (ends.some(({ end }) => !ENDS.test(end)))
          throw broken('a tab came to a strange end', { round, ends })
        checkErrands({ round, ends, found }, ERRANDS, effects)
        sums.races++
        sums.effects += effects.done.length
        sums.late += effects.late.length
        sums.decided += effects.decided
        sums.again += effects.again
        sums['taken over'] += ends.filter(({ signal }) => signal === 'LEASE_LOST').length
        sums.BLOCKED += ends.filter(({ end }) => end === 'BLOCKED').length
        if (round % 50 === 49) say(`${round + 1} of ${rounds}`)
      }
      return sums
    } finally {
      await browser.close()
      await site.close()
    }
  },
} satisfies Proof
