import type { RunInfo, ThreadSummary, ThreadUsage } from '../../index.ts'
import { h } from '../dom/h.ts'
import { forkSign } from '../dom/signs.ts'
import { line, plain } from '../text/shown.ts'
import { bytes, count, counted } from '../text/units.ts'
import type { Titles } from '../text/titles.ts'
import { runBadge, timeOf } from './badges.ts'

interface Known {
  readonly thread: ThreadSummary
  readonly run: RunInfo | undefined
  readonly usage: ThreadUsage | undefined
  /** Bytes of the largest thread. */
  readonly largest: number
  readonly titles: Titles
}

/** A thread in the list: its name, its latest run, and what it holds. */
export function drawThread(row: HTMLElement, { thread, run, usage, largest, titles }: Known): void {
  const { id, forkOf, updatedAt } = thread
  if (titles.of(id) !== undefined) row.title = plain(id, 300)
  row.append(
    h(
      'div',
      { class: 'row-line' },
      forkOf && forkSign(),
      h('span', { class: 'row-title' }, line(titles.nameOf(id))),
      // That it has ended as it should is no news.
      run && run.status !== 'finished' && runBadge(run),
      timeOf(updatedAt),
    ),
    h(
      'div',
      { class: 'row-line less' },
      h('span', { class: 'row-title' }, ...named(thread, titles), factsOf(thread, usage)),
      usage && share(usage.bytes, largest),
    ),
  )
}

/** Its label, if that says more than its name; else of a fork its origin. */
function named({ id, label, forkOf }: ThreadSummary, titles: Titles): (Node | string)[] {
  const saysMore = label !== undefined && label !== `fork-of:${forkOf?.thread}` && label !== titles.of(id)
  if (saysMore) return [line(label), ' · ']
  return forkOf ? ['of ', line(titles.nameOf(forkOf.thread), 60), ' · '] : []
}

function factsOf({ head, forkOf }: ThreadSummary, usage: ThreadUsage | undefined): string {
  if (!usage) return head ? `seq ${count(head.seq)}` : ''
  // What it shares with its origin counts there.
  const own = forkOf ? `${count(usage.checkpoints)} of its own` : counted(usage.checkpoints, 'checkpoint')
  return `${own} · ${bytes(usage.bytes)}`
}

/** How much of the largest thread's bytes this one has. */
function share(amount: number, most: number): HTMLElement {
  const fill = h('span', { class: 'share-fill' })
  fill.style.inlineSize = `${most > 0 ? (100 * amount) / most : 0}%`
  return h('span', { class: 'share', 'aria-hidden': 'true' }, fill)
}
