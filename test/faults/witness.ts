import 'fake-indexeddb/auto'
import { CheckpointerError } from '../../src/index.ts'
import { localStore } from '../../src/witness/local-store.ts'
import { both } from '../../src/witness/places.ts'
import type { WitnessStore } from '../../src/witness/witness-store.ts'
import { deleteBehind, fakeArea, fakeFile, openTab, type Tab } from '../witness/ground.ts'
import { broken, type Proof, type ProofContext } from './support/proof.ts'

const THREADS = ['a', 'b', 'c', 'd']
const STEPS = 25
const MOST_TABS = 3

/** What a round may meet and does not count as failing: tabs take each other's threads, and the database, away. */
const EXPECTED = ['CLOSED', 'NOT_FOUND', 'CONFLICT', 'INVALID', 'EVICTED']

/**
 * Tabs and workers save, fork, copy, prune, delete, destroy, crash and open again, many things at once. None of it
 * may be taken for a loss. Then the browser is killed, and has lost all databases of the site: each that was saved to must
 * tell it, as the browser says it to one of them alone; one that is new or was destroyed must not.
 */
export default {
  promise: 'nothing that was removed on purpose is missed, and a database that is gone always is',
  rounds: { short: 40, long: 1000 },
  on: ['node'],
  async run({ rounds, random }) {
    const sums = { sequences: 0, steps: 0, opened: 0, crashed: 0, destroyed: 0, lost: 0, told: 0 }
    for (let round = 0; round < rounds; round++) {
      const site = siteOf()
      const name = `witness ${round} ${random()}`
      const tabs: Tab[] = []
      const all: Tab[] = []
      const running = new Set<Promise<unknown>>()
      const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)]
      const open = async (): Promise<void> => {
        sums.opened++
        const tab = await openTab(name, random() < 0.7 ? site.page(name) : site.worker(name), {
          behind: random() * 4,
        })
        tabs.push(tab)
        all.push(tab)
      }
      await open()
      for (let step = 0; step < STEPS; step++) {
        sums.steps++
        const chosen = Math.floor(random() * 14)
        const tab = pick(tabs)
        if (!tab || (chosen === 0 && tabs.length < MOST_TABS)) {
          await open()
          continue
        }
        if (chosen === 1 || chosen === 2) {
          tabs.splice(tabs.indexOf(tab), 1)
          if (chosen === 1) tab.crash()
          else await tab.checkpointer.close().catch(tolerate)
          sums.crashed += chosen === 1 ? 1 : 0
          continue
        }
        if (chosen === 3 && random() < 0.3) {
          sums.destroyed++
          tabs.splice(tabs.indexOf(tab), 1)
          await tab.checkpointer.destroy().catch(tolerate)
          continue
        }
        const call = act(tab, chosen, pick(THREADS) ?? 'a', pick(THREADS) ?? 'b').catch(tolerate)
        running.add(call)
        void call.finally(() => running.delete(call))
        if (random() < 0.6) await call
        if (random() < 0.3) await new Promise((resolve) => setTimeout(resolve, random() * 6))
      }
      await Promise.all(running)
      for (const tab of tabs) await tab.checkpointer.close().catch(tolerate)

      const last = await openTab(name, site.page(name))
      await last.settled()
      all.push(last)
      for (const { warnings } of all)
        if (warnings.some(({ code }) => code === 'DATA_LOSS'))
          throw broken('told a loss where there was none', { round, warnings: warnings.map(String) })
      await last.checkpointer.thread('kept').save({ round })
      await last.checkpointer.close()
      const { lost, told } = await loseAll(site, name, random)
      sums.lost += lost
      sums.told += told
      sums.sequences++
    }
    return sums
  },
} satisfies Proof

interface Site {
  readonly page: (name: string) => WitnessStore
  readonly worker: (name: string) => WitnessStore
  /** Of what pages have put into `localStorage` from here on, nothing comes to the disk. */
  readonly stopWriting: () => () => void
}

/** One origin: what its pages remember, and its workers. */
function siteOf(): Site {
  const [local, files] = [fakeArea(), fakeArea()]
  return {
    page: (name) => both(localStore(name, local), fakeFile(name, files)),
    worker: (name) => fakeFile(name, files),
    stopWriting() {
      const before = [...local.items]
      return () => {
        local.items.clear()
        for (const [key, value] of before) local.items.set(key, value)
      }
    },
  }
}

/** Of this one and others of the site; `kept` is in this one, and was written down. */
async function loseAll(
  site: Site,
  name: string,
  random: ProofContext['random'],
): Promise<{ lost: number; told: number }> {
  const [atOnce, opened, destroyed, fresh] = ['at once', 'opened', 'destroyed', 'new'].map(
    (kind) => `${name} ${kind}`,
  ) as [string, string, string, string]
  const kill = site.stopWriting()
  const slow = { behind: 60_000 }
  const first = await openTab(atOnce, site.page(atOnce), slow)
  await first.checkpointer.thread('t').save({ n: 1 })
  first.crash()
  const second = await openTab(opened, site.page(opened), slow)
  await second.checkpointer.thread('t').load()
  second.crash()
  const third = await openTab(destroyed, site.page(destroyed), slow)
  await third.checkpointer.thread('t').save({ n: 1 })
  await third.checkpointer.destroy()
  kill()

  const losers = [name, atOnce]
  const names = [...losers, opened, destroyed, fresh].sort(() => random() - 0.5)
  for (const each of names) await deleteBehind(each)
  let told = 0
  for (const isFirst of [true, false])
    for (const each of names) {
      const dataLoss = isFirst && each === names[0] ? 'a bad log' : undefined
      const tab = await openTab(each, random() < 0.7 ? site.page(each) : site.worker(each), { dataLoss })
      await tab.settled()
      const losses = tab.warnings.filter(({ code }) => code === 'DATA_LOSS')
      const expected = isFirst && losers.includes(each) ? 1 : 0
      const about = { each, names, isFirst, told: losses.map(String) }
      if (losses.length !== expected) throw broken('a loss was not told once, or told of nothing', about)
      told += losses.length
      if (losses.some(({ message }) => !message.includes('a bad log')))
        throw broken('a loss was told without its cause', about)
      if (expected > 0 && each === name && !losses[0]?.loss?.heads.some(({ thread }) => thread === 'kept'))
        throw broken('what was lost was not named', about)
      if (isFirst) await tab.checkpointer.close()
      else await tab.checkpointer.destroy()
    }
  return { lost: losers.length, told }
}

async function act({ checkpointer }: Tab, chosen: number, id: string, other: string): Promise<unknown> {
  const thread = checkpointer.thread<{ n: number }>(id)
  switch (chosen) {
    case 4:
      return thread.delete()
    case 5:
      return thread.fork({ as: other, edit: (draft) => void draft.n++ })
    case 6:
      return thread.copy(other)
    case 7:
      return thread.prune({ keepLast: 1 })
    case 8: {
      const head = await thread.load()
      return head && thread.deleteCheckpoints([head.seq])
    }
    case 9:
      return thread.deleteRun('run')
    case 10:
      return checkpointer.thread(id, { namespace: 'sub' }).save({ n: chosen })
    default:
      return thread.save({ n: chosen }, { runId: 'run' })
  }
}

function tolerate(error: unknown): void {
  if (!CheckpointerError.is(error) || !EXPECTED.includes(error.code)) throw error
}
