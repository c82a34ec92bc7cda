import { fill, h } from '../dom/h.ts'
import { line } from '../text/shown.ts'
import { counted } from '../text/units.ts'
import { longText } from './long-text.ts'
import { isStretch, nameOf } from './pages.ts'
import { shapeOf, type Part, type Shape } from './shape.ts'
import type { TreeRow } from './value-tree.ts'

/** A text longer than this, or of several lines, is shown whole when its row is opened. */
const SHORT = 160

export const isLong = ({ item }: Pick<TreeRow, 'item'>): boolean =>
  !isStretch(item) &&
  typeof item.value === 'string' &&
  (item.value.length > SHORT || item.value.includes('\n'))

export function drawRow(row: TreeRow): void {
  const { element, item, shape, isCircle } = row
  if (isStretch(item)) return fill(element, twisty(), h('span', { class: 'tree-name' }, nameOf(item)))
  fill(element, twisty(), ...nameBefore(item), isCircle ? circle() : valueOf(item.value, shape))
}

/** A long text in full below its name, or in a line again. */
export function spread(row: TreeRow, isSpread: boolean): void {
  const { element, item } = row
  if (isStretch(item) || typeof item.value !== 'string') return
  if (isSpread) element.append(longText(item.value))
  else element.querySelector('.long-text')?.remove()
}

/** A value in one line: what it is, and a look at what is in it. */
export function valueOf(value: unknown, shape: Shape): HTMLElement {
  if (typeof value === 'string') {
    const size =
      value.length > SHORT && h('span', { class: 'size' }, ` ${counted(value.length, 'character')}`)
    return h('span', { class: 'value text' }, '"', line(value, SHORT), '"', size)
  }
  if (shape.tone !== 'container' || shape.size === 0)
    return h('span', { class: `value ${shape.tone}` }, line(shape.title, SHORT))
  return h('span', { class: 'value container' }, line(shape.title), ' ', preview(shape))
}

const PREVIEWED = 4

/** A few of its parts, as far as they say something in a word. */
function preview(shape: Shape): HTMLElement | false {
  const parts = Array.from({ length: Math.min(PREVIEWED, shape.size) }, (_, i) => shape.part(i))
  if (parts.every(({ value }) => shapeOf(value).tone === 'container')) return false
  const more = shape.size > PREVIEWED ? ', …' : ''
  return h(
    'span',
    { class: 'preview' },
    ...parts.flatMap((part, i) => [i > 0 && ', ', ...previewed(part)]),
    more,
  )
}

function previewed({ name, isKey, value }: Part): (Node | string | false)[] {
  const title =
    typeof value === 'string'
      ? `"${value.slice(0, 41)}${value.length > 41 ? '…' : ''}"`
      : shapeOf(value).title
  return [isKey && line(name, 24), isKey && ': ', line(title, 44)]
}

const nameBefore = ({ name, isKey }: Part): (Node | string)[] =>
  name === '' && !isKey
    ? []
    : [h('span', { class: isKey ? 'tree-key' : 'tree-name' }, isKey && name === '' ? '""' : line(name)), ': ']

const twisty = (): HTMLElement => h('span', { class: 'twisty', 'aria-hidden': 'true' })

const circle = (): HTMLElement => h('span', { class: 'value special' }, '↻ the same as further up')
