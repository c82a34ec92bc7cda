import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import type { Mine, Run } from './page/leases.ts'
import { broken, type Figures, type Proof, type ProofContext } from './support/proof.ts'
import { PLAIN_HOST, startSleepyBrowser, type SleepyBrowser } from './support/sleepy-browser.ts'
import { firstAck, openSite, type Site } from './support/site.ts'

/** Waiting for a sign of life takes seconds, so there are fewer of these. */
const ROUNDS_A_SILENCE = 5
/** A new thread now and then keeps the looking quick. */
const ROUNDS_A_THREAD = 10

/** Who steals is not kept waiting: a tab that was frozen in mid-transaction is woken after this. */
const STEALING_MS = 3_000
/** A store that can answer does so in this time. */
const ANSWER_MS = 2_000
const MOST_TRIES = 20

/** The tab that has the lease is frozen in mid-run, another takes over, and the first one wakes up. */
export default {
  promise: 'a runner that was frozen and replaced writes nothing when it wakes',
  rounds: { short: 2, long: 100 },
  on: ['chromium', 'chromium-sqlite'],
  mostlyWaits: true,
  elsewhere: {
    firefox: 'only the DevTools protocol freezes a tab',
    webkit: 'only the DevTools protocol freezes a tab',
  },
  async run(context) {
    const site = await openSite()
    const browser = await startSleepyBrowser(context.ground, join(context.folder, 'profile'))
    try {
      const plain = site.url.replace('127.0.0.1', PLAIN_HOST)
      const silences = Math.ceil(context.rounds / ROUNDS_A_SILENCE)
      return {
        ...(await replaceFrozen(context, browser, { site, url: site.url }, 'stolen', context.rounds)),
        ...(await replaceFrozen(context, browser, { site, url: plain }, 'silent', silences)),
      }
    } finally {
      await browser.close()
      await site.close()
    }
  },
} satisfies Proof

/**
 * Freezes a tab, and asks. One that is frozen in mid-transaction keeps the store from answering, and is woken again:
 * nobody can tell then whether it gives signs of life.
 */
async function freezeFor(
  ask: () => Promise<string>,
  browser: SleepyBrowser,
  sleeper: Page,
  random: () => number,
  onHeldUp: () => void,
): Promise<string> {
  for (let tried = 0; tried < MOST_TRIES; tried++) {
    await browser.freeze(sleeper)
    const asking = ask()
    const asked = await Promise.race([asking, sleep(ANSWER_MS)])
    if (asked !== undefined) return asked
    onHeldUp()
    await browser.wake(sleeper)
    await asking
    await sleep(random() * 200)
  }
  throw new Error(`the tab was frozen in mid-transaction ${MOST_TRIES} times in a row`)
}

type Way = 'stolen' | 'silent'

async function replaceFrozen(
  { random, say }: ProofContext,
  browser: SleepyBrowser,
  { site, url }: { readonly site: Site; readonly url: string },
  way: Way,
  rounds: number,
): Promise<Figures> {
  const tabs = { a: await browser.open(url), b: await browser.open(url) }
  const hasLocks = await tabs.a.evaluate(() => leases.hasLocks())
  if (hasLocks !== (way === 'stolen')) throw broken('the pages are not as they should be', { way, hasLocks })
  const sums = { saves: 0, refused: 0, heldUp: 0 }
  let kept: Mine[] = []
  for (let round = 0; round < rounds; round++) {
    const id = `${way} ${Math.floor(round / ROUNDS_A_THREAD)}`
    const [old, next] = round % 2 ? (['b', 'a'] as const) : (['a', 'b'] as const)
    const [sleeper, successor] = [tabs[old], tabs[next]]
    await sleeper.bringToFront()
    site.acks.length = 0
    const sleeping = sleeper.evaluate((run) => leases.runThread(run), { id, tab: old })
    await firstAck(site)
    await sleep(random() * 400)
    await successor.bringToFront()
    const ask = (): Promise<string> => successor.evaluate((thread) => leases.askForLease(thread), id)
    const asked = await freezeFor(ask, browser, sleeper, random, () => sums.heldUp++)
    const lease = way === 'stolen' ? { steal: true, wait: STEALING_MS } : {}
    const options = { id, tab: next, most: 30, lease }
    const follow = (): Promise<Run | undefined> => successor.evaluate((run) => leases.runThread(run), options)
    const first = await follow()
    await browser.wake(sleeper)
    // It was frozen in mid-transaction: nobody can write before it wakes, and who tried was told.
    if (!first) sums.heldUp++
    const runs = [await sleeping, first ?? (await follow())]
    runs.push(await successor.evaluate((run) => leases.runThread(run), { id, tab: next, most: 6 }))
    check(runs, asked)
    const saved = runs.flatMap((each) => each?.saved ?? [])
    kept.push(...saved)
    sums.saves += saved.length
    sums.refused += runs[0]?.refused.length ?? 0
    if (round === rounds - 1 || (round + 1) % ROUNDS_A_THREAD === 0) {
      await compare(successor, id, kept)
      kept = []
      say(`${way}: ${round + 1} of ${rounds}`)
    }
  }
  await Promise.all([tabs.a.close(), tabs.b.close()])
  return { [way]: rounds, ...named(way, sums) }
}

const named = (way: Way, sums: Readonly<Record<string, number>>): Figures =>
  Object.fromEntries(Object.entries(sums).map(([name, sum]) => [`${way} ${name}`, sum]))

/** The one that slept, the one that took over, and that one again. */
function check([old, next, later]: readonly (Run | undefined)[], asked: string): void {
  if (!old || !next || !later) throw broken('a runner did not get its turn', { old, next, later })
  if (asked !== 'BLOCKED') throw broken('a lease was given while another had it', { asked })
  if (!(old.token < next.token && next.token < later.token))
    throw broken('tokens do not rise', { old, next, later })
  if (old.refused.length === 0 || old.refused.some((code) => code !== 'LEASE_LOST'))
    throw broken('the one that was replaced was not refused', old)
  if (old.signal !== 'LEASE_LOST') throw broken('the one that was replaced was not told', old)
  if (next.refused.length + later.refused.length > 0)
    throw broken('its successor was refused', { next, later })
  const last = Math.max(...old.saved.map(({ seq }) => seq))
  if (next.saved.some(({ seq }) => seq <= last))
    throw broken('the one that was replaced saved on', { old, next })
}

/** What is there is what was acknowledged, all of it, and nothing else. */
async function compare(page: Page, id: string, kept: readonly Mine[]): Promise<void> {
  const { marks, writes, problems } = await page.evaluate((thread) => leases.readThread(thread), id)
  const wanted = [...kept].sort((a, b) => a.seq - b.seq)
  if (JSON.stringify(marks) !== JSON.stringify(wanted)) {
    const strange = marks.filter(({ seq, mark }) => wanted[seq - 1]?.mark !== mark)
    throw broken('what is there is not what was acknowledged', { id, strange: strange.slice(0, 10) })
  }
  if (writes + problems.length > 0) throw broken('something else is there', { writes, problems })
}
