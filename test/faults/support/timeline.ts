import type { CDPSession, Page } from 'playwright-core'

/** Of Chromium's own record of what ran on which thread. Times are in microseconds. */
interface TraceEvent {
  readonly name: string
  readonly pid: number
  readonly tid: number
  readonly ts: number
  readonly dur?: number
  /** Time of the processor: what others ran meanwhile is not in it. */
  readonly tdur?: number
}

const CATEGORIES = ['toplevel', 'blink.user_timing', 'v8']

/** Milliseconds of the processor. */
export interface Longest {
  readonly task: number
  /** What is left of that when the engine's collection of garbage is not counted, which it does when it likes. */
  readonly withoutGarbage: number
}

/** The longest tasks of a page between its marks `begin …` and `end …`; of a record that misses these, which happens, nothing. */
export async function longestTask(
  page: Page,
  what: string,
  work: () => Promise<unknown>,
): Promise<Longest | undefined> {
  const session = await page.context().newCDPSession(page)
  try {
    const events = await recorded(session, work)
    const begin = events.find(({ name }) => name === `begin ${what}`)
    const end = events.find(({ name }) => name === `end ${what}`)
    if (!begin || !end) throw new Error(`the page did not mark where '${what}' begins and ends`)
    const there = events.filter(({ pid, tid }) => pid === begin.pid && tid === begin.tid)
    const tasks = there.filter(
      ({ name, ts, dur = 0 }) => name.endsWith('RunTask') && ts + dur > begin.ts && ts < end.ts,
    )
    if (tasks.length === 0) return undefined
    const garbage = outermost(there.filter(({ name }) => GARBAGE.test(name)))
    const ours = tasks.map((task) => timeOf([task]) - timeOf(garbage.filter((each) => isWithin(each, task))))
    return { task: Math.max(...tasks.map((task) => timeOf([task]))), withoutGarbage: Math.max(...ours) }
  } finally {
    await session.detach()
  }
}

const GARBAGE = /^(V8\.GC|MinorGC$|MajorGC$)/

/** No task has more of the processor than the time it took: in a virtual machine the clock of a thread may leap. */
const timeOf = (events: readonly TraceEvent[]): number =>
  events.reduce((sum, { tdur = 0, dur = 0 }) => sum + Math.min(tdur, dur), 0) / 1000

const isWithin = (one: TraceEvent, other: TraceEvent): boolean =>
  one !== other && one.ts >= other.ts && one.ts + (one.dur ?? 0) <= other.ts + (other.dur ?? 0)

/** Its phases are recorded within it. */
function outermost(events: readonly TraceEvent[]): TraceEvent[] {
  const found: TraceEvent[] = []
  for (const event of events.toSorted((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0))) {
    const last = found.at(-1)
    if (!last || !isWithin(event, last)) found.push(event)
  }
  return found
}

async function recorded(session: CDPSession, work: () => Promise<unknown>): Promise<TraceEvent[]> {
  const events: TraceEvent[] = []
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])))
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: CATEGORIES, excludedCategories: ['*'] },
  })
  await work()
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve))
  await session.send('Tracing.end')
  await complete
  return events
}
