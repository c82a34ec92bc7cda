import type { CheckpointInfo, RunInfo, ThreadSummary } from '../../index.ts'
import { fill, h, present } from '../dom/h.ts'
import { VirtualList } from '../dom/virtual-list.ts'
import { cut, line, plain } from '../text/shown.ts'
import { count } from '../text/units.ts'
import { runBadge, timeOf } from '../threads/badges.ts'
import type { Titles } from '../text/titles.ts'
import { drawLanes, ROW } from './draw.ts'
import type { History } from './history.ts'
import { lanesOf, widthOf, type LaneRow } from './lanes.ts'
import { keyOf, othersOf, rowsOf, type GraphRow } from './rows.ts'

interface Ears {
  readonly onCheckpoint: (seq: number) => void
  /** The one that others are compared with. */
  readonly onBase: (seq: number) => void
  readonly onThread: (id: string) => void
}

interface Tools {
  readonly buttons: readonly HTMLElement[]
  readonly namespaces: HTMLElement
}

interface Item {
  readonly row: GraphRow
  readonly lanes: LaneRow
}

/** The tree of a thread's branches and forks. */
export class HistoryPane {
  readonly element: HTMLElement
  readonly #list: VirtualList<Item>
  readonly #titles: Titles
  readonly #title = h('h2', {}, 'History')
  readonly #count = h('span', { class: 'count' })
  readonly #run = h('span', { class: 'runs' })
  readonly #empty = h('p', { class: 'empty' }, 'Choose a thread to see its checkpoints.')
  /** What the graph was made of that is shown. */
  #drawn: { readonly items: readonly CheckpointInfo[]; readonly others: string } | undefined
  #lanes = 1
  #head: number | undefined
  #base: number | undefined

  constructor(titles: Titles, { onCheckpoint, onBase, onThread }: Ears, tools: Tools) {
    this.#titles = titles
    this.#list = new VirtualList<Item>({
      label: 'Checkpoints, newest first',
      role: 'tree',
      rowHeight: ROW,
      key: ({ row }) => keyOf(row),
      draw: (item, row) => this.#draw(item, row),
      chooseOnMove: true,
      onChoose: ({ row }, isMark) => {
        if (row.kind === 'checkpoint') (isMark ? onBase : onCheckpoint)(row.info.seq)
      },
      onOpen: ({ row }) => {
        if (row.kind !== 'checkpoint') onThread(row.thread)
      },
    })
    const head = h('header', { class: 'pane-head' }, this.#title, this.#count, tools.namespaces, this.#run)
    this.element = h(
      'section',
      { class: 'pane history', 'aria-label': 'History' },
      head,
      h('div', { class: 'pane-tools' }, ...tools.buttons),
      this.#empty,
      this.#list.element,
    )
  }

  show(history: History, threads: readonly ThreadSummary[], selected: number | undefined): void {
    const { items, place, isWhole } = history
    this.#head = history.head?.seq
    fill(this.#title, line(this.#titles.nameOf(place.thread), 80))
    this.#title.title = plain(place.thread, 300)
    this.#count.textContent = count(items.length) + (isWhole ? '' : ' …')
    fill(this.#empty, isWhole ? 'There are no checkpoints here.' : 'Reading …')
    this.#empty.hidden = items.length > 0
    const others = othersOf(place, threads)
    const names = JSON.stringify(
      others.map((other) => [keyOf(other), other.at, this.#titles.of(other.thread)]),
    )
    // Many things are heard of that change nothing here, and to lay out thousands of rows takes its time.
    if (items === this.#drawn?.items && names === this.#drawn.others) return
    this.#drawn = { items, others: names }
    const rows = rowsOf(items, others)
    const lanes = lanesOf(rows)
    this.#lanes = widthOf(lanes)
    this.#list.show(
      rows.map((row, i) => ({ row, lanes: lanes[i] ?? NOWHERE })),
      keyOfSeq(selected),
    )
  }

  showRuns(runs: readonly RunInfo[]): void {
    fill(this.#run, ...runs.map(runBadge))
  }

  select(seq: number | undefined, base: number | undefined): void {
    this.#base = base
    this.#list.select(keyOfSeq(seq))
  }

  stop(): void {
    this.#list.stop()
  }

  #draw({ row, lanes }: Item, element: HTMLElement): void {
    const isCheckpoint = row.kind === 'checkpoint'
    const seq = isCheckpoint ? row.info.seq : undefined
    const look = {
      lanes: this.#lanes,
      kind: row.kind,
      isHead: isCheckpoint && seq === this.#head,
      isBase: isCheckpoint && seq === this.#base,
    }
    element.setAttribute('aria-level', String(lanes.lane + 1))
    element.append(drawLanes(lanes, look))
    if (isCheckpoint) drawCheckpoint(row.info, element, look)
    else drawOther(row, element, this.#titles)
  }
}

const NOWHERE: LaneRow = { lane: 0, fromAbove: false, joins: [], passes: [], down: 'none' }

const keyOfSeq = (seq: number | undefined): string | undefined => (seq === undefined ? undefined : `#${seq}`)

function drawCheckpoint(
  info: CheckpointInfo,
  row: HTMLElement,
  { isHead, isBase }: { readonly isHead: boolean; readonly isBase: boolean },
): void {
  const { seq, node, label, source, next, createdAt } = info
  row.append(
    ...present([
      h('span', { class: 'seq' }, count(seq)),
      h(
        'span',
        { class: 'row-title' },
        titleOf(info),
        next && next.length > 0 && h('span', { class: 'less' }, ' → ', line(next.join(', '), 60)),
      ),
      label !== undefined && h('span', { class: 'badge label' }, line(cut(label, 40), 40)),
      node !== undefined &&
        source !== undefined &&
        source !== 'loop' &&
        h('span', { class: 'badge' }, line(source, 20)),
      isHead && h('span', { class: 'badge head' }, 'head'),
      isBase && h('span', { class: 'badge base' }, 'compared'),
      timeOf(createdAt),
    ]),
  )
}

/** What was done there, as far as that was said. */
function titleOf({ node, step, source }: CheckpointInfo): Node | string {
  if (node !== undefined) return line(node, 60)
  if (source !== undefined && source !== 'loop') return line(source, 20)
  return step === undefined ? '' : `step ${step}`
}

function drawOther(
  { kind, thread }: Exclude<GraphRow, { kind: 'checkpoint' }>,
  row: HTMLElement,
  titles: Titles,
): void {
  row.classList.add('other')
  const says = kind === 'fork' ? 'forked to ' : 'fork of '
  row.append(
    h(
      'span',
      { class: 'row-title' },
      h('span', { class: 'less' }, says),
      h('span', { class: 'link' }, line(titles.nameOf(thread), 80)),
    ),
  )
}
