/** The list of threads, and where each was forked from. */
import type { ThreadSummary } from 'forkpoint'
import { byId, el, onRow, placeOf, setAttribute, showRows, timeOf } from './dom.ts'

type Item = Pick<ThreadSummary, 'id'> & Partial<ThreadSummary>

export function onThread(choose: (id: string) => void): void {
  onRow(byId('threads', HTMLElement), choose)
}

/** Of a thread that is open but not yet saved there is no summary; it is listed by its name alone. */
export function showThreads(threads: readonly ThreadSummary[], current: string): void {
  const isListed = threads.some(({ id }) => id === current)
  const items: Item[] = isListed ? [...threads] : [{ id: current }, ...threads]
  showRows(
    byId('threads', HTMLElement),
    items,
    ({ id }) => id,
    (row, item) => fill(row, item, item.id === current),
  )
}

function fill(row: HTMLButtonElement, { id, forkOf, head, updatedAt }: Item, isCurrent: boolean): Node[] {
  setAttribute(row, 'aria-current', isCurrent && 'page')
  const state = head ? `${head.node ?? 'checkpoint'} · ${placeOf(head.seq, head.step)}` : 'not saved yet'
  const lines = [
    el('span', { class: 'line' }, el('strong', {}, id)),
    el('span', { class: 'line faint' }, el('span', { class: 'fill' }, state), updatedAt && timeOf(updatedAt)),
  ]
  const origin =
    forkOf && el('span', { class: 'line faint' }, `fork of ${forkOf.thread} at seq ${forkOf.seq}`)
  return origin ? [...lines, origin] : lines
}
