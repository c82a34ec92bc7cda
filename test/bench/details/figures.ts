import type { BenchBrowser } from './browser.ts'
import {
  CONTENDERS,
  KEEPERS,
  type BackgroundTimings,
  type BytesHanded,
  type Contender,
  type Keeper,
  type Kind,
  type LoadTimings,
  type SaveTimings,
} from './page/api.ts'
import {
  STEPPERS,
  type BehindTimings,
  type RemovalTimings,
  type Stepper,
  type StepTimings,
} from './page/api.ts'
import type { Timing } from './page/timing.ts'
import { max, median, percentile } from '../statistics.ts'

/** All in milliseconds and bytes; of saves, medians over the last fifth unless said otherwise. */
export interface Figures {
  readonly steps: number
  readonly saves: Record<Kind, Record<Contender, SaveFigures>>
  /** Of saves one right after the other, over all steps; the best of three runs. */
  readonly burst: Spread
  /** The same saves with durability `async`, and with `sync` in the same run. */
  readonly behind: BehindTimings
  readonly journal: Record<Stepper, JournalFigures>
  /** How long each call held the page in these runs, on a page that was new. */
  readonly blocking: Blocking
  readonly bytes: BytesHanded
  readonly loads: {
    readonly cold: Compared
    readonly freshWorker: Compared
    readonly warm: Compared
    readonly history: Compared
  }
  readonly forks: { readonly short: number; readonly long: number; readonly early: number }
  /** Of saves beside each kind of work in the background, and beside none; how many checkpoints each has left, of so many. */
  readonly background: {
    readonly saves: Readonly<Record<Keeper | 'nothing', Spread>>
    readonly left: Readonly<Record<Keeper, number>>
    readonly of: number
  }
  readonly removals: RemovalTimings
}

export interface SaveFigures {
  readonly wall: number
  /** Of all steps but the first. */
  readonly all: Spread
  readonly sync: number
  readonly reply: number
  /** sync + reply. */
  readonly blocked: number
  /** The longest time in which the page was not free while it waited for the answer. */
  readonly gap: number
  /** Of the synchronous parts of all steps but the first. */
  readonly worst: {
    readonly step: number
    readonly sync: number
    readonly median: number
    readonly over: number
  }
  /** The median wall time in each fifth of the loop. */
  readonly fifths: readonly number[]
}

export interface Spread {
  readonly median: number
  readonly p95: number
  readonly p99: number
  readonly total: number
}

/**
 * Of all steps but the first. For each step the shortest of the three runs counts: what the work itself brings
 * comes back in each run at the same step, while what other programs do on the machine does not.
 */
interface Blocking {
  readonly median: number
  /** The longest, with their steps. */
  readonly longest: readonly { readonly step: number; readonly sync: number }[]
}

export interface Compared {
  readonly raw: number
  readonly forkpoint: number
  /** The median of the ratios of the pairs, which a slow moment of the machine moves less. */
  readonly ratio: number
  readonly synchronous: number
}

/** The median, and that of the ratios to the raw put beside it. */
interface JournalFigures {
  readonly wall: number
  readonly ratio: number
}

/** A save that blocks the page for more than so many times the median. */
export const TOO_LONG = 5

/** So that one slow moment of the machine is not the slowest hundredth. */
const BACKGROUND_RUNS = 3
/** Threads of saves in a burst. The short ones are for forks, and for reads that only warm up. */
const BURSTS = ['burst-1', 'burst-2', 'burst-3'] as const

export async function measure(
  browser: BenchBrowser,
  steps: number,
  say: (what: string) => void,
): Promise<Figures> {
  const loads = Math.max(11, Math.round(steps / 25))
  say(`${steps} steps, plain state`)
  const plain = await browser.run('saves', { steps, kind: 'plain' })
  say(`${steps} steps, frozen state`)
  const frozen = await browser.run('saves', { steps, kind: 'frozen' })
  say('saves in a burst')
  const bursts: Timing[][] = []
  for (const id of BURSTS) {
    await browser.renew()
    bursts.push(await browser.run('burst', { steps, id }))
  }
  say('saves written behind')
  const behind = await browser.run('behind', { steps })
  await browser.run('burst', { steps: 10, id: 'short' })
  await browser.run('burst', { steps: 1, id: 'small' })
  say('steps of a run')
  const journal = journalFigures(await browser.run('steps', { times: Math.max(60, steps / 2) }))
  say('bytes')
  const bytes = await browser.run('bytes', { steps })
  say('loads')
  const cold: LoadTimings[] = []
  for (let i = 0; i < loads; i++) {
    await browser.renew()
    cold.push(await browser.run('coldLoad', { rawFirst: i % 2 === 0 }))
  }
  await browser.renew()
  const freshWorker = await browser.run('freshWorkerLoads', { times: loads })
  const warm = await browser.run('warmLoads', { times: loads })
  const history = await browser.run('histories', { times: 40, steps })
  say('work in the background')
  const background = await browser.run('background', { steps, runs: BACKGROUND_RUNS })
  say('forks, prune, delete')
  const forks = await browser.run('forks', { times: 40 })
  const removals = await browser.run('removals', { prune: BURSTS[0], delete: BURSTS[1] })
  return {
    steps,
    saves: { plain: saveFigures(plain), frozen: saveFigures(frozen) },
    burst: best(bursts.map((burst) => spread(burst.map(({ wall }) => wall)))),
    blocking: blockingOf(bursts),
    behind,
    journal,
    bytes,
    loads: {
      cold: compared(cold),
      freshWorker: compared(freshWorker),
      warm: compared(warm),
      history: compared(history),
    },
    forks: { short: median(forks.short), long: median(forks.long), early: median(forks.early) },
    background: backgroundFigures(background, steps * BACKGROUND_RUNS),
    removals,
  }
}

function backgroundFigures({ saves, left }: BackgroundTimings, of: number): Figures['background'] {
  const idle = KEEPERS.filter((keeper) => left[keeper] >= of)
  if (idle.length > 0) throw new Error(`nothing was let go by ${idle.join(', ')}: this measures nothing`)
  const { nothing, keepLast, olderThan, maxBytes } = saves
  return {
    saves: {
      nothing: spread(nothing),
      keepLast: spread(keepLast),
      olderThan: spread(olderThan),
      maxBytes: spread(maxBytes),
    },
    left,
    of,
  }
}

function journalFigures(timings: StepTimings): Figures['journal'] {
  const entries = STEPPERS.map((name) => {
    const ratios = timings[name].map((wall, i) => wall / (timings.raw[i] ?? Number.NaN))
    return [name, { wall: median(timings[name]), ratio: median(ratios) }] as const
  })
  return Object.fromEntries(entries) as Figures['journal']
}

function saveFigures(timings: SaveTimings): Record<Contender, SaveFigures> {
  const entries = CONTENDERS.map((name) => [name, figuresOf(timings[name])] as const)
  return Object.fromEntries(entries) as Record<Contender, SaveFigures>
}

function figuresOf(timings: readonly Timing[]): SaveFigures {
  const last = timings.slice(-Math.ceil(timings.length / 5))
  const sync = median(last.map((timing) => timing.sync))
  const reply = median(last.flatMap((timing) => timing.reply ?? []))
  const rest = timings.slice(1).map((timing) => timing.sync)
  const worst = max(rest)
  const usual = median(rest)
  return {
    wall: median(walls(last)),
    all: spread(walls(timings.slice(1))),
    sync,
    reply,
    blocked: sync + reply,
    gap: median(last.flatMap((timing) => timing.gap ?? [])),
    worst: {
      step: rest.indexOf(worst) + 2,
      sync: worst,
      median: usual,
      over: rest.filter((time) => time > usual * TOO_LONG).length,
    },
    fifths: [0, 1, 2, 3, 4].map((fifth) => {
      return median(walls(timings.slice((fifth * timings.length) / 5, ((fifth + 1) * timings.length) / 5)))
    }),
  }
}

/** Steps that were watched by pings are slower, so they do not count. */
const walls = (timings: readonly Timing[]): number[] =>
  timings.filter(({ reply }) => reply === undefined).map(({ wall }) => wall)

function spread(times: readonly number[]): Spread {
  const total = times.reduce((sum, time) => sum + time, 0)
  return { median: median(times), p95: percentile(times, 0.95), p99: percentile(times, 0.99), total }
}

const best = (spreads: readonly Spread[]): Spread =>
  spreads.toSorted((a, b) => a.total - b.total)[0] as Spread

function blockingOf(runs: readonly (readonly Timing[])[]): Blocking {
  const steps = Array.from({ length: runs[0]?.length ?? 0 }, (_, i) => {
    return { step: i + 1, sync: Math.min(...runs.map((run) => run[i]?.sync ?? Infinity)) }
  }).slice(1)
  return {
    median: median(steps.map(({ sync }) => sync)),
    longest: steps.toSorted((a, b) => b.sync - a.sync).slice(0, 5),
  }
}

function compared(timings: readonly LoadTimings[]): Compared {
  return {
    raw: median(timings.map(({ raw }) => raw.wall)),
    forkpoint: median(timings.map(({ forkpoint }) => forkpoint.wall)),
    ratio: median(timings.map(({ raw, forkpoint }) => forkpoint.wall / raw.wall)),
    synchronous: median(timings.map(({ forkpoint }) => forkpoint.sync)),
  }
}
