import type { PendingWrite, RunInfo } from '../../index.ts'
import { h } from '../dom/h.ts'
import { line } from '../text/shown.ts'
import { instant } from '../text/units.ts'
import { runBadge } from '../threads/badges.ts'
import { ValueTree } from '../values/value-tree.ts'
import { readPending, type JournalEnd, type JournalStep } from './journal.ts'

/** Pending writes of a checkpoint, with what runs have noted among them; and the latest run of its place. */
export function writesView(pending: readonly PendingWrite[], runs: readonly RunInfo[]): HTMLElement {
  const { steps, ends, writes } = readPending(pending)
  return h(
    'div',
    {},
    runs.length > 0 && section('Latest run', runs.map(runRow)),
    section(
      'Journal of runs',
      [...steps.map(stepRow), ...ends.map(endRow)],
      'No run has noted anything since this checkpoint.',
    ),
    section('Pending writes', writes.map(writeRow), 'There are none.'),
  )
}

function section(title: string, rows: readonly HTMLElement[], none = ''): HTMLElement {
  const list = rows.length > 0 ? h('ul', { class: 'entries' }, ...rows) : h('p', { class: 'empty' }, none)
  return h('section', { class: 'block' }, h('h3', {}, title), list)
}

const runRow = (run: RunInfo): HTMLElement =>
  entry(
    [
      line(run.runId, 60),
      runBadge(run),
      h('span', { class: 'less' }, `since ${instant(run.startedAt)}`),
      run.error !== undefined && h('span', { class: 'less' }, line(run.error)),
    ],
    (run.questions ?? []).map(({ name, question }) => value(name, question)),
  )

const stepRow = ({ name, kind, attempt, status, isExternal, facts, runId }: JournalStep): HTMLElement =>
  entry(
    [
      line(name, 80),
      h('span', { class: `badge step-${status}` }, status),
      h(
        'span',
        { class: 'less' },
        kind,
        isExternal && ' · external',
        attempt > 1 && ` · attempt ${attempt}`,
        ' · run ',
        line(runId, 40),
      ),
    ],
    [...facts].map(([label, held]) => value(label, held)),
  )

const endRow = ({ runId, status, value: held }: JournalEnd): HTMLElement =>
  entry(
    ['end of run ', line(runId, 60), h('span', { class: `badge run-${status}` }, line(status, 20))],
    [value(status === 'finished' ? 'result' : 'error', held)],
  )

const writeRow = ({ taskId, channel, index, value: held }: PendingWrite): HTMLElement =>
  entry(
    [line(channel, 80), h('span', { class: 'less' }, 'task ', line(taskId, 60), ` · index ${index}`)],
    [value(channel, held)],
  )

const entry = (head: readonly (Node | string | false)[], values: readonly HTMLElement[]): HTMLElement =>
  h('li', { class: 'entry' }, h('div', { class: 'entry-head' }, ...head), ...values)

const value = (label: string, held: unknown): HTMLElement =>
  h(
    'div',
    { class: 'entry-value' },
    h('span', { class: 'less' }, line(label, 40), ' '),
    new ValueTree(held, label.slice(0, 100)).element,
  )
