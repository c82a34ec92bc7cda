import 'fake-indexeddb/auto'
import { CheckpointerError } from '../../src/index.ts'
import { localStore } from '../../src/witness/local-store.ts'
import { beside } from '../../src/witness/places.ts'
import type { WitnessStore } from '../../src/witness/witness-store.ts'
import { deleteBehind, fakeArea, openTab, type Tab } from '../witness/ground.ts'
import { broken, type Proof } from './support/proof.ts'

const THREADS = ['a', 'b', 'c', 'd']
const STEPS = 25
const MOST_TABS = 3

/** What a round may meet and does not count as failing: tabs take each other's threads, and the database, away. */
const EXPECTED = ['CLOSED', 'NOT_FOUND', 'CONFLICT', 'INVALID', 'EVICTED']

/**
 * Tabs and workers save, fork, copy, prune, delete, destroy, crash and open again, many things at once. None of it
 * may be taken for a loss. Then the database is deleted behind their back, and that must be told.
 */
export default {
  promise: 'nothing that was removed on purpose is missed, and a database that is gone always is',
  rounds: { short: 40, long: 1000 },
  on: ['node'],
  async run({ rounds, random }) {
    const sums = { sequences: 0, steps: 0, opened: 0, crashed: 0, destroyed: 0, lost: 0, told: 0 }
    for (let round = 0; round < rounds; round++) {
      const site = siteOf(`witness ${round} ${random()}`)
      const tabs: Tab[] = []
      const all: Tab[] = []
      const running = new Set<Promise<unknown>>()
      const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)]
      const open = async (): Promise<void> => {
        sums.opened++
        const tab = await openTab(site.name, random() < 0.7 ? site.page : site.worker, random() * 4)
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

      const last = await openTab(site.name, site.page)
      await last.settled()
      all.push(last)
      for (const { warnings } of all)
        if (warnings.some(({ code }) => code === 'DATA_LOSS'))
          throw broken('told a loss where there was none', { round, warnings: warnings.map(String) })
      await last.checkpointer.thread('kept').save({ round })
      await last.checkpointer.close()
      await deleteBehind(site.name)
      sums.lost++
      const after = await openTab(site.name, site.page)
      await after.settled()
      const told = after.warnings.filter(({ code }) => code === 'DATA_LOSS')
      if (told.length !== 1 || !told[0]?.loss?.heads.some(({ thread }) => thread === 'kept'))
        throw broken('a loss was not told once', { round, told: told.map(String) })
      sums.told++
      await after.checkpointer.destroy()
      sums.sequences++
    }
    return sums
  },
} satisfies Proof

/** One origin: what its pages remember, and what its workers do. */
function siteOf(name: string): { name: string; page: WitnessStore; worker: WitnessStore } {
  const worker = localStore(name, fakeArea())
  const page = beside(localStore(name, fakeArea()), { ...worker, isThere: async () => true })
  return { name, page, worker }
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
