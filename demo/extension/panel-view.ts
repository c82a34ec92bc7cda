import type { RunInfo } from 'forkpoint'
import { button, el } from './dom.ts'
import type { Notes } from './agent.ts'

interface Shown {
  readonly state: Notes
  readonly run: RunInfo | undefined
  readonly forget: () => void
}

/** The notes on one page. What a page of the web says is text here, and nothing else. */
export function showNotes(place: HTMLElement, shown: Shown | undefined): void {
  if (!shown) return place.replaceChildren()
  const { state, forget } = shown
  const { page, notes } = state
  const known = place.querySelector('ol')
  const list = known && known.childElementCount <= notes.length ? known : el('ol', { class: 'notes' })
  for (const note of notes.slice(list.childElementCount)) list.append(el('li', {}, note))
  place.replaceChildren(
    el('h2', { id: 'notes-title' }, page?.title ?? 'Reading the page …'),
    el('p', { class: 'where' }, ...(page ? [page.url] : [])),
    el('progress', {
      'aria-label': 'Notes taken',
      max: String(page?.parts.length ?? 1),
      value: String(notes.length),
    }),
    el('p', { class: 'how', id: 'how' }, howItStands(shown)),
    list,
    button('Forget this page', forget, { class: 'quiet' }),
  )
}

function howItStands({ state, run }: Shown): string {
  const { page, notes, resumed } = state
  const count = `${notes.length} of ${page?.parts.length ?? '?'} notes`
  const times = resumed === 1 ? 'once' : `${resumed} times`
  const again = resumed > 0 ? ` · taken up again ${times}` : ''
  if (run?.status === 'failed') return `${run.error ?? 'It failed.'}`
  return (run?.status === 'finished' ? `Done: ${count}` : count) + again
}

interface PageRow {
  readonly id: string
  readonly title: string
  readonly updatedAt: Date
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })

/** The pages that there are notes on. Who has one of them in focus keeps it. */
export function showPages(
  list: HTMLElement,
  rows: readonly PageRow[],
  shown: string | undefined,
  choose: (id: string) => void,
): void {
  const { activeElement } = document
  const focused = activeElement instanceof HTMLElement ? activeElement.dataset['id'] : undefined
  const buttons = rows.map(({ id, title, updatedAt }) => {
    const time = el('time', { datetime: updatedAt.toISOString() }, clock.format(updatedAt))
    return button([el('span', { class: 'title' }, title), time], () => choose(id), {
      class: 'row',
      'data-id': id,
      'aria-current': String(id === shown),
    })
  })
  list.replaceChildren(...buttons.map((each) => el('li', {}, each)))
  buttons
    .find(({ dataset }) => focused !== undefined && dataset['id'] === focused)
    ?.focus({ preventScroll: true })
}
