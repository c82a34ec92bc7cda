import type { Page } from 'playwright-core'

/** How evenly frames came. */
export interface Frames {
  readonly count: number
  readonly median: number
  readonly p95: number
  readonly longest: number
  /** The share of those that came later than one and a half of a frame's time. */
  readonly late: number
}

const LATE_MS = 25

/** Runs in the page: notes how long each frame takes. */
function watch(): void {
  const frames: number[] = []
  let last = performance.now()
  const tick = (now: number): void => {
    frames.push(now - last)
    last = now
    requestAnimationFrame(tick)
  }
  requestAnimationFrame(tick)
  Object.assign(window, { framesSeen: frames })
}

/** The frames of the page since it was last asked. */
async function take(page: Page): Promise<number[]> {
  if (!(await page.evaluate(() => 'framesSeen' in window))) await page.evaluate(watch)
  return page.evaluate(() => (window as unknown as { readonly framesSeen: number[] }).framesSeen.splice(0))
}

/** Those while something is done. */
export async function framesWhile(page: Page, act: () => Promise<unknown>): Promise<readonly number[]> {
  await take(page)
  await act()
  return take(page)
}

export function told(frames: readonly number[]): Frames {
  const sorted = frames.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0
  return {
    count: frames.length,
    median: at(0.5),
    p95: at(0.95),
    longest: at(1),
    late: frames.filter((ms) => ms > LATE_MS).length / Math.max(1, frames.length),
  }
}

/** What is measured, and what it is compared with: on a machine that is busy with other things, no frame is on time. */
export interface Compared {
  readonly idle: Frames
  readonly busy: Frames
}

/** The frames while something is done, and those of the same page before and after it, while nothing is. */
export async function framesOf(page: Page, act: () => Promise<void>, idleMs = 1_500): Promise<Compared> {
  const rest = () => framesWhile(page, () => page.waitForTimeout(idleMs))
  const before = await rest()
  const busy = await framesWhile(page, act)
  return { idle: told([...before, ...(await rest())]), busy: told(busy) }
}

/** In one line, for who reads the log. */
const inWords = ({ count, median, p95, longest, late }: Frames): string =>
  `${count} frames, median ${median.toFixed(1)}, p95 ${p95.toFixed(1)}, longest ${longest.toFixed(0)} ms, ${(100 * late).toFixed(1)} % late`

/** Does it until it was smooth, a few times: what else goes on makes it look worse, and never better. */
export async function smoothest(
  measure: () => Promise<Compared>,
  { tries = 3, longest = Infinity }: { readonly tries?: number; readonly longest?: number } = {},
): Promise<readonly string[]> {
  let faults: readonly string[] = []
  for (let i = 0; i < tries; i++) {
    const { idle, busy } = await measure()
    console.log(`idle: ${inWords(idle)}\nbusy: ${inWords(busy)}`)
    faults = faultsOf(idle, busy, longest)
    if (faults.length === 0) break
  }
  return faults
}

/** What can be said against it. */
function faultsOf(idle: Frames, busy: Frames, most: number): string[] {
  const p95 = Math.max(LATE_MS, 1.5 * idle.p95)
  const late = idle.late + 0.05
  const longest = Math.max(most, 1.5 * idle.longest)
  return [
    ...(busy.count < 30 ? [`only ${busy.count} frames were seen`] : []),
    ...(busy.p95 > p95
      ? [`the 95th of 100 frames took ${busy.p95.toFixed(1)} ms, ${p95.toFixed(1)} at most`]
      : []),
    ...(busy.longest > longest
      ? [`one frame took ${busy.longest.toFixed(0)} ms, ${longest.toFixed(0)} at most`]
      : []),
    ...(busy.late > late
      ? [`${(100 * busy.late).toFixed(1)} % of the frames were late, ${(100 * late).toFixed(1)} at most`]
      : []),
  ]
}
