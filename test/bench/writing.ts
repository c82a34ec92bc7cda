import type { ContenderName, Measure } from './contenders.ts'
import type { Field } from './field.ts'
import type { Figures } from './figures.ts'
import type { Timing } from './page/timing.ts'
import { spread } from './statistics.ts'
import { MAIN, PRUNED, SEEDED, type Workload } from './workloads.ts'

/** Milliseconds that each is given for its saves. */
const BUDGET = 20_000
/** The same for seeding, which must come to its end for what is found afterwards to be compared. */
const SEED_BUDGET = 120_000
/** Saves, one contender after the other. */
export const BLOCK = 10
/** Rounds of saves to a short and to a long thread. */
const ROUNDS = 9

/** Everything that is written; the time of saves, and of forks where they are the workload. */
export async function write(field: Field, of: Workload): Promise<void> {
  const { seeded, pruned, shape, forks } = of
  const seed = async (prefix: string, threads: number, steps: number, of: Workload['shape']): Promise<void> =>
    field.each(async (page, who) => {
      const done = await page.run('seed', { prefix, threads, steps, shape: of, budget: SEED_BUDGET })
      if (prefix === PRUNED) field.prunable.set(who, done)
      if (done < threads) field.stop(who, { at: done, of: threads, what: 'threads' })
    })
  if (seeded) await seed(SEEDED, seeded.threads, seeded.steps, seeded.shape)
  if (pruned) await seed(PRUNED, pruned.threads, pruned.steps, shape)
  await field.each((page) => page.run('handed'))
  if (shape === 'token') await streamed(field, of)
  else if (seeded && seeded.threads > of.steps) await saved(field, of, (i) => `${SEEDED}${i}`)
  else {
    await field.each((page) => page.run('begin', { thread: MAIN, shape }))
    await saved(field, of, () => MAIN)
  }
  if (forks) await forked(field, forks, of)
  await field.each(async (page, who) => field.add(who, 'handed', (await page.run('handed')).bytes), 'handed')
}

/** Answers, one of each contender after the other. */
async function streamed(field: Field, { steps, answers = 1, watched }: Workload): Promise<void> {
  const spent = new Map<ContenderName, number>()
  for (let i = 0; i < answers; i++) {
    await field.each(async (page, who) => {
      const before = spent.get(who) ?? 0
      if (before > BUDGET) return
      const isWatched = i % watched === watched - 1
      const asked = { thread: `${SEEDED}${i}`, count: steps, watched: isWatched }
      const { wall, blocked } = await page.run('stream', asked)
      spent.set(who, before + wall)
      if (blocked === undefined) field.add(who, 'save', wall / steps)
      else field.add(who, 'blocked', blocked)
      if (before + wall > BUDGET && i + 1 < answers)
        field.stop(who, { at: i + 1, of: answers, what: 'answers' })
    })
  }
}

/** All saves, a block of each contender after the other. */
async function saved(field: Field, of: Workload, threadOf: (block: number) => string): Promise<void> {
  const { shape, steps, pause, watched } = of
  const spent = new Map<ContenderName, number>()
  const timings = new Map<ContenderName, Timing[]>()
  const count = Math.min(BLOCK, steps)
  for (let block = 0; block * count < steps; block++) {
    const frozen = of.frozen === 'turns' && isFrozen(block)
    await field.each(async (page, who) => {
      const budget = BUDGET - (spent.get(who) ?? 0)
      if (budget <= 0) return
      const thread = threadOf(block)
      const done = await page.run('saves', { thread, shape, count, frozen, pause, watched, budget })
      spent.set(who, BUDGET - budget + done.spent)
      timings.set(who, [...(timings.get(who) ?? []), ...done.timings])
    })
  }
  const isOne = threadOf(0) === threadOf(1)
  await field.each(async (page, who) => {
    const all = timings.get(who) ?? []
    if (of.frozen) {
      // The first of each block is compared as a whole: nothing of it was seen before.
      const counted = all.map((timing, i) => ({ timing, i })).filter(({ i }) => i % BLOCK > 0)
      const those = (frozen: boolean): Timing[] =>
        counted.filter(({ i }) => isFrozen(Math.floor(i / BLOCK)) === frozen).map(({ timing }) => timing)
      addSaves(field, who, those(false), 'save', 'blocked')
      addSaves(field, who, those(true), 'saveFrozen', 'blockedFrozen')
    } else
      addSaves(field, who, all.slice(all.length - Math.ceil(all.length * of.lastShare)), 'save', 'blocked')
    if (all.length < steps) field.stop(who, { at: all.length, of: steps, what: 'steps' })
    if (all.length < steps && isOne) await page.run('jump', { thread: MAIN, shape, to: steps })
  })
}

const isFrozen = (block: number): boolean => block % 2 === 1

function addSaves(
  field: Field,
  who: ContenderName,
  timings: readonly Timing[],
  save: Measure,
  blocked: Measure,
): void {
  if (timings.length === 0) return
  // Those that were watched are slower, so they do not count.
  const free = timings.filter((timing) => timing.blocked === undefined)
  field.add(who, save, ...(free.length > 0 ? free : timings).map(({ wall }) => wall))
  field.add(who, blocked, ...timings.flatMap((timing) => timing.blocked ?? []))
}

async function forked(field: Field, forks: NonNullable<Workload['forks']>, of: Workload): Promise<void> {
  const { at, count, steps } = forks
  const { shape } = of
  const spent = new Map<ContenderName, number>()
  for (let i = 0; i < count; i++) {
    await field.each(async (page, who) => {
      const budget = BUDGET - (spent.get(who) ?? 0)
      if (budget <= 0) return
      const as = `fork-${i}`
      const took = await page.run('fork', { thread: MAIN, at, as, shape })
      field.add(who, 'fork', took)
      const { timings, spent: more } = await page.run('saves', {
        thread: as,
        shape,
        count: steps,
        frozen: false,
        pause: of.pause,
        watched: of.watched,
        budget,
      })
      spent.set(who, BUDGET - budget + took + more)
      addSaves(field, who, timings, 'save', 'blocked')
      if (took + more >= budget && i + 1 < count) field.stop(who, { at: i + 1, of: count, what: 'forks' })
    }, 'fork')
  }
}

/** Saves at 400 messages beside saves at 4,000, of states that are frozen. */
export async function grow(field: Field, scale: number): Promise<Figures['growth']> {
  const times: Record<'short' | 'long', number[]> = { short: [], long: [] }
  const saves = { shape: 'chat', frozen: true, watched: 4, budget: 4 * BUDGET } as const
  await field.each(async (page, who) => {
    if (who !== 'forkpoint') return
    for (const [thread, messages] of [
      ['short', 400],
      ['long', 4000],
    ] as const) {
      await page.run('begin', { thread, shape: 'chat' })
      await page.run('saves', { ...saves, thread, count: Math.ceil((messages * scale) / 2), pause: 0 })
    }
    for (let round = 0; round < ROUNDS; round++)
      for (const thread of round % 2 ? (['short', 'long'] as const) : (['long', 'short'] as const)) {
        const { timings } = await page.run('saves', { ...saves, thread, count: BLOCK, pause: 3 })
        times[thread].push(...timings.filter(({ blocked }) => blocked === undefined).map(({ wall }) => wall))
      }
  })
  return times.short.length > 0 ? { short: spread(times.short), long: spread(times.long) } : undefined
}
