import { loadExtension } from '../extension/real/loaded.ts'
import type { ExtensionPage } from '../extension/real/extension/page.ts'
import { broken, type Proof } from './support/proof.ts'

declare const page: ExtensionPage

/** Both sides take turns, so that both have the same of a machine that is busy. */
const TURN = 250
const MOST_TIMES = 3
/** Fewer saves say nothing about time. */
const MEASURED = 5_000

/** A round is a save through a port, each begun when the one before it is durable, and the same save without the port. */
export default {
  promise:
    'saves through a port of an extension come in their order, none is lost, and they take three times as long at most',
  rounds: { short: 500, long: 10_000 },
  on: ['chromium'],
  isTimed: true,
  elsewhere: {
    'chromium-sqlite': 'not tried there',
    firefox: 'not tried there',
    webkit: 'WebKitGTK has no extensions of this kind',
  },
  async run({ rounds, say }) {
    const extension = await loadExtension()
    try {
      const panel = await extension.openPage()
      const times = { port: 0, inside: 0 }
      for (let from = 1; from <= rounds; from += TURN) {
        const about = { count: Math.min(TURN, rounds - from + 1), from }
        times.port += await panel.evaluate(
          ({ count, from: first }) => page.saveMany(page.checkpointer.thread('port'), count, first),
          about,
        )
        times.inside += (await panel.evaluate(
          (more) => page.askWorker('saves', { thread: 'inside', ...more }),
          about,
        )) as number
        if (from % 2_500 === 1) say(`${from - 1 + about.count} of ${rounds}`)
      }
      for (const thread of ['port', 'inside']) {
        const numbers = await panel.evaluate((id) => page.numbersIn(page.checkpointer.thread(id)), thread)
        const wrong = numbers.findIndex((number, index) => number !== index + 1)
        if (numbers.length !== rounds || wrong !== -1)
          throw broken('a save is lost, or out of its order', { thread, count: numbers.length, wrong })
      }
      const ratio = times.port / times.inside
      if (rounds >= MEASURED && ratio > MOST_TIMES) throw broken('a port is too slow', { ...times, ratio })
      return {
        browser: extension.version,
        saves: rounds,
        'a save through the port, ms': times.port / rounds,
        'inside, ms': times.inside / rounds,
        ratio,
      }
    } finally {
      await extension.close()
    }
  },
} satisfies Proof
