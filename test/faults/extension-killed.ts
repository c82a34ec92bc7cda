import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { buildExtension } from '../../scripts/extension.ts'
import { quietChromium } from '../extension/real/quiet/chromium.ts'
import { quietFirefox } from '../extension/real/quiet/firefox.ts'
import type { QuietBrowser, QuietPage } from '../extension/real/quiet/quiet.ts'
import { broken, type Figures, type Proof, type ProofContext } from './support/proof.ts'
import { openTown, type Town } from './support/town.ts'

const STEPS = 30
/** What a side panel may take after a restart to show what was stored while nothing could be told to it. */
const CAUGHT_UP_MS = 500
/** In the short form, on a busy machine: there the other bound is on the median. */
const AT_LAST_MS = 20_000
/** From so many stops on it is the long form, with natural deaths too: each takes a minute. */
const LONG = 50
const PATIENCE = 180_000
/** Firefox lets nobody stop a background page, but it can be told to put it to rest early. */
const IDLE_MS = 3_000

/** A round is a stop of the service worker, as the browser stops one that is idle. */
export default {
  promise:
    'an agent in an extension whose service worker dies again and again finishes, with nothing done twice, and the side panel keeps up',
  rounds: { short: 6, long: 100 },
  on: ['chromium', 'firefox'],
  mostlyWaits: true,
  elsewhere: { 'chromium-sqlite': 'not tried there', webkit: 'WebKitGTK has no extensions of this kind' },
  async run(context) {
    const town = await openTown(context.random)
    const browser = await start(context)
    try {
      return await killAll(context, town, browser)
    } finally {
      await browser.close()
      await town.close()
    }
  },
} satisfies Proof

async function start({ ground, folder }: ProofContext): Promise<QuietBrowser> {
  const [built, profile] = [join(folder, 'extension'), join(folder, 'profile')]
  await buildExtension({
    folder: fileURLToPath(new URL('../extension/real/extension/', import.meta.url)),
    outDir: built,
    manifest: ground === 'firefox' ? 'manifest.firefox.json' : 'manifest.json',
  })
  return ground === 'firefox'
    ? quietFirefox(built, profile, { idle: IDLE_MS })
    : quietChromium(built, profile)
}

async function killAll(
  { rounds, random, say }: ProofContext,
  town: Town,
  browser: QuietBrowser,
): Promise<Figures> {
  const open = (): Promise<QuietPage> => browser.open('page.html', "'page' in globalThis")
  let panel = await open()
  const follow = (): Promise<unknown> => panel.evaluate(`void page.follow(page.checkpointer, '${town.url}')`)
  await follow()
  await panel.evaluate(`page.askWorker('send', { site: '${town.url}', count: ${STEPS} })`)
  await until('the agent has begun', () => town.seen.length > 0)

  const naturalDeath = async (how: string): Promise<void> => {
    const [before, since] = [town.starts, Date.now()]
    await until(how, () => town.starts > before)
    say(`${how}, ${Math.round((Date.now() - since) / 1000)} s later`)
  }
  const [stops, natural]: [number[], number[]] = [[], naturalAfter(rounds)]
  /** While no side panel was there to see a start. */
  const unseen = { from: Infinity, to: -Infinity }
  let hits = 0
  for (let round = 0; round < rounds; round++) {
    // So that it is under way for as long as it is killed.
    town.allowed = Math.floor(((round + 1) * (STEPS - 1)) / rounds)
    // A run is taken up after more than a second, and then does something.
    await sleep(100 + random() * 4_900)
    const [before, cut] = [town.starts, town.cutOff]
    if (panel.stopWorkers) stops.push(Date.now())
    await panel.stopWorkers?.()
    await until('it is started again', () => town.starts > before)
    if (town.cutOff > cut) hits++
    if (round % 20 === 19) say(`${round + 1} of ${rounds} stops, ${town.effects.done.length} steps done`)
    // Nothing is done while the next step is not allowed, and nothing is said: so it dies.
    if (!panel.stopWorkers || !natural.includes(round)) continue
    if (round === natural[0]) {
      await naturalDeath('the side panel has it started again after its natural death')
      continue
    }
    await panel.close()
    unseen.from = Date.now()
    await naturalDeath('an alarm has it started again')
    unseen.to = Date.now()
    panel = await open()
    await follow()
  }
  const run = await panel.evaluate("page.checkpointer.thread('errand').latestRun()")
  const { status } = run as { readonly status: string }
  if (status !== 'running' && status !== 'orphaned')
    throw broken('the run was over before the last stop', { status })
  if (hits < (rounds < LONG ? 1 : rounds / 2))
    throw broken('too few stops have hit a live run', { hits, rounds })
  town.allowed = STEPS
  await until('the agent has finished', () => town.statuses.includes('finished'))
  await until('its last state is seen', () => Math.max(...town.seen.map(({ seq }) => seq)) > STEPS)
  check(town, (await panel.evaluate(statesOf('errand', 'state.receipts.length'))) as [number, number][])

  const starts = (await panel.evaluate(statesOf('starts', 'state.born'))) as [seq: number, born: number][]
  const shown = starts
    .map(([seq, born]) => ({ seq, born }))
    .filter(({ born }) => born < unseen.from || born > unseen.to)
  const late = lateness(shown, stops, town.caught)
  const [whole, own] = [spread(late.map(({ ms }) => ms)), spread(late.map((each) => each.own))]
  if (late.length !== shown.length || late.length < rounds)
    throw broken('not every start was measured', { late, starts })
  if (whole.median > CAUGHT_UP_MS || own.most > (rounds < LONG ? AT_LAST_MS : CAUGHT_UP_MS))
    throw broken('the side panel did not catch up in time', { late })
  const { done, again, late: refused, decided } = town.effects
  return {
    browser: browser.version,
    stops: rounds,
    'that hit a live run': hits,
    'natural deaths': panel.stopWorkers ? natural.length : rounds,
    effects: done.length,
    'of those twice': again,
    decided,
    'came too late': refused.length,
    starts: starts.length,
    'of which measured': late.length,
    'stopped before that was shown': late.filter(({ isCut }) => isCut).length,
    'caught up after it was stopped, median ms': whole.median,
    'at most ms': whole.most,
    'after its script began, median ms': own.median,
    'then at most ms': own.most,
    'a state seen after, median ms': spread(town.seen.map(({ at, saved }) => at - saved)).median,
  }
}

/** After which stops it is left to die of idling: with a side panel open, and without one. Each takes a minute. */
const naturalAfter = (rounds: number): number[] =>
  rounds < LONG ? [] : [Math.floor(rounds / 3), Math.floor((rounds * 2) / 3)]

function spread(times: readonly number[]): { readonly median: number; readonly most: number } {
  const sorted = times.toSorted((a, b) => a - b)
  return { median: sorted[sorted.length >> 1] ?? Infinity, most: sorted.at(-1) ?? Infinity }
}

/** An expression for the states of a thread, from the first on. */
const statesOf = (thread: string, of: string): string =>
  `(async () => { const all = []; for await (const { seq, state } of page.checkpointer.thread('${thread}').history({ states: true, order: 'oldest' })) all.push([seq, ${of}]); return all })()`

/** Everything was done once, and every checkpoint is there. */
function check({ effects }: Town, states: readonly (readonly [seq: number, receipts: number])[]): void {
  const done = effects.done.map(({ what }) => what)
  const wanted = Array.from({ length: STEPS }, (_, i) => `step ${i + 1}`)
  if (effects.wrong.length > 0 || JSON.stringify(done) !== JSON.stringify(wanted))
    throw broken('what was done is not what was to be done', { ...effects, done })
  const counts = [...wanted.keys(), STEPS]
  const found = states.map(([, receipts]) => receipts)
  const seqs = states.map(([seq]) => seq)
  const isWhole =
    JSON.stringify(found) === JSON.stringify(counts) && seqs.every((seq, index) => seq === index + 1)
  if (!isWhole) throw broken('a checkpoint is missing', { states })
}

interface Start {
  readonly seq: number
  /** When its script began. */
  readonly born: number
}

/** How late the panel was with what a start has stored before it served anybody. */
interface Late {
  /** Counted from when the service worker was told to stop: it is restarted at once. After a natural death, as below. */
  readonly ms: number
  /** Counted from when its script began: what comes before that is the browser's. */
  readonly own: number
  /** It was stopped before that was shown. The next start has shown it, and in the time that it has itself. */
  readonly isCut: boolean
}

function lateness(starts: readonly Start[], stops: readonly number[], caught: Town['caught']): Late[] {
  const clocks = starts.map(({ born }, i) => {
    const stop = stops.findLast((at) => at <= born) ?? -Infinity
    return { born, at: stop > (starts[i - 1]?.born ?? -Infinity) ? stop : born }
  })
  return starts.flatMap(({ seq }, i) => {
    const shown = Math.min(...caught.filter((each) => each.seq >= seq).map(({ at }) => at))
    const last = clocks.findLastIndex(({ born }) => born <= shown)
    const clock = clocks[last]
    return shown === Infinity || !clock
      ? []
      : { ms: shown - clock.at, own: shown - clock.born, isCut: last > i }
  })
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  for (const since = Date.now(); !isSo(); await sleep(20))
    if (Date.now() - since > PATIENCE) throw broken('it did not come to pass', { what })
}
