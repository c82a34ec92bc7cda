import { button, fill, h, type Child } from '../dom/h.ts'
import { cut, line, shown } from '../text/shown.ts'
import { count, counted } from '../text/units.ts'
import { longText } from '../values/long-text.ts'
import { ValueTree } from '../values/value-tree.ts'
import { changesBetween, type Change } from './changes.ts'
import { textDiff, type Piece } from './text-diff.ts'

/** So many changes are shown at once. */
const PAGE = 100

/** All that differs between two states. */
export function changesView(before: unknown, after: unknown): HTMLElement {
  const found = changesBetween(before, after)
  const list = h('ul', { class: 'changes' })
  const view = h('div', {}, list)
  const more = button('Show more changes', () => show())
  const show = (): void => {
    more.remove()
    for (let i = 0; i < PAGE; i++) {
      const { done, value } = found.next()
      if (done) return
      list.append(drawn(value))
    }
    view.append(more)
  }
  show()
  return list.childElementCount === 0 ? h('p', { class: 'empty' }, 'Nothing differs.') : view
}

const SIGNS = { added: '+', removed: '−', changed: '~' } as const

function drawn(change: Change): HTMLElement {
  const { path, kind } = change
  const way =
    path.length === 0 ? ['the whole state'] : path.flatMap((name, i) => [i > 0 && ' › ', line(name, 80)])
  const sign = h('span', { class: 'sign', 'aria-hidden': 'true' }, SIGNS[kind])
  const title = h(
    'div',
    { class: 'change-path' },
    sign,
    h('span', { class: 'seen-less' }, `${kind}: `),
    ...way,
  )
  return h('li', { class: `change ${kind}` }, title, ...sides(change))
}

function sides(change: Change): HTMLElement[] {
  if (change.kind === 'added') return [side('added', change.after)]
  if (change.kind === 'removed') return [side('removed', change.before)]
  const { before, after } = change
  if (typeof before === 'string' && typeof after === 'string') return [textSide(before, after)]
  return [side('removed', before), side('added', after)]
}

const LABELS = { added: 'after', removed: 'before' } as const

const side = (kind: 'added' | 'removed', value: unknown): HTMLElement =>
  h('div', { class: `side ${kind}` }, new ValueTree(value, LABELS[kind]).element)

const textSide = (before: string, after: string): HTMLElement =>
  h('div', { class: 'side text' }, ...textDiff(before, after).map(pieceOf))

/** So much of what has not changed is shown around what has. */
const AROUND = 80

function pieceOf({ kind, text }: Piece, place: number, pieces: readonly Piece[]): Child {
  if (kind !== 'same') return h(kind === 'added' ? 'ins' : 'del', {}, longText(text))
  const first = place === 0 ? '' : cut(text, AROUND)
  const hidden = cut(
    text.slice(first.length),
    text.length - first.length - (place === pieces.length - 1 ? 0 : AROUND),
  )
  if (hidden.length <= AROUND) return shown(text)
  const gap = h('span', { class: 'gap' })
  const open = button(`… ${count(hidden.length)} characters …`, () => fill(gap, longText(hidden)), {
    class: 'quiet',
    'aria-label': `Show ${counted(hidden.length, 'character')} that did not change`,
  })
  gap.append(open)
  return h('span', {}, shown(first), gap, shown(text.slice(first.length + hidden.length)))
}
