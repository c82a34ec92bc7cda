/** One checkpoint: its facts, its last message, its state, and the way to a fork. */
import type { Checkpoint } from 'forkpoint'
import type { AgentState } from '../model.ts'
import { button, byId, el, placeOf, timeOf } from './dom.ts'
import { forkForm } from './fork-form.ts'
import { jsonTree } from './json.ts'

export type Fork = (at: number, editedText: string | undefined) => Promise<void>

let shown: string | undefined

/** Shows it, unless it is what is shown already: what was opened there stays open. */
export function showDetail(checkpoint: Checkpoint<AgentState>, onFormOpen: () => void, fork: Fork): void {
  const key = `${checkpoint.thread} ${checkpoint.id}`
  if (key === shown) return
  shown = key
  const { seq, step, node, state } = checkpoint
  const last = state.messages.at(-1)
  const form = el('div')
  const close = (): void => {
    form.replaceChildren()
    opener.setAttribute('aria-expanded', 'false')
    opener.focus()
  }
  const opener = button(
    'Fork from here',
    () => {
      if (form.firstChild) return close()
      onFormOpen()
      const made = forkForm(last?.text ?? '', leadsTo(checkpoint), close, (text) => fork(seq, text))
      form.replaceChildren(made)
      opener.setAttribute('aria-expanded', 'true')
      made.querySelector('textarea')?.focus()
    },
    { 'aria-expanded': 'false' },
  )
  const detail = byId('detail', HTMLElement)
  const focused = detail.contains(document.activeElement) ? document.activeElement : null
  detail.replaceChildren(
    el(
      'div',
      { class: 'panel-head' },
      el(
        'h2',
        { id: 'detail-title' },
        'Checkpoint ',
        placeOf(seq, step),
        el('span', { class: 'count' }, node ?? ''),
      ),
      opener,
    ),
    form,
    last === undefined
      ? ''
      : el(
          'blockquote',
          { class: 'last' },
          el('span', { class: 'faint' }, last.tool ?? last.role),
          el('p', {}, last.text),
        ),
    facts(checkpoint),
    el('h3', {}, 'State'),
    el('div', { class: 'json' }, jsonTree(state)),
  )
  if (focused) (twinOf(detail, focused) ?? opener).focus()
}

/** What the agent will make of an edited message: each node reads the last one. */
function leadsTo({ next }: Checkpoint<AgentState>): string {
  const node = next?.[0]
  if (node === undefined)
    return 'Nothing comes next here: Run asks a new question, whatever the message says.'
  return `What comes next, ${node}, reads this message: change it, and the agent takes another way.`
}

/** The part of the new tree in the place where the focus was in the old one. */
function twinOf(detail: HTMLElement, focused: Element): HTMLElement | undefined {
  const path = focused.getAttribute('data-path')
  return [...detail.querySelectorAll<HTMLElement>('[data-path]')].find(
    (part) => part.dataset['path'] === path,
  )
}

export function showNoDetail(text: string): void {
  shown = undefined
  byId('detail', HTMLElement).replaceChildren(
    el('h2', { id: 'detail-title' }, 'Checkpoint'),
    el('p', { class: 'empty' }, text),
  )
}

function facts({ id, parentId, createdAt, runId, next, source }: Checkpoint<AgentState>): HTMLElement {
  const list: [string, string | Node | undefined][] = [
    ['saved', timeOf(createdAt)],
    ['next', next?.length ? next.join(', ') : 'nothing'],
    ['source', source],
    ['id', el('code', {}, id)],
    ['parent', parentId === undefined ? 'none' : el('code', {}, parentId)],
    ['run', runId === undefined ? undefined : el('code', {}, runId)],
  ]
  const known = list.filter((fact): fact is [string, string | Node] => fact[1] !== undefined)
  return el('dl', {}, ...known.map(([term, value]) => el('div', {}, el('dt', {}, term), el('dd', {}, value))))
}

/** Where the panels lie below each other, what was chosen would else appear out of sight. */
export function revealDetail(): void {
  const detail = byId('detail', HTMLElement)
  if (detail.getBoundingClientRect().top > innerHeight / 2) detail.scrollIntoView()
}
