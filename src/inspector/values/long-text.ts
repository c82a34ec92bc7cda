import { button, h } from '../dom/h.ts'
import { cut, shown } from '../text/shown.ts'
import { count } from '../text/units.ts'

const FIRST = 2_000
const MORE = 20_000

/** A text of any length: as much as was asked for. */
export function longText(text: string): HTMLElement {
  const block = h('div', { class: 'long-text' })
  let end = 0
  const more = button('', () => grow(MORE), { class: 'quiet' })
  const grow = (by: number): void => {
    const piece = cut(text.slice(end, end + by + 1), by)
    end += piece.length
    more.before(shown(piece))
    const left = text.length - end
    more.textContent = `Show ${count(Math.min(MORE, left))} more of ${count(text.length)} characters`
    if (left === 0) more.remove()
  }
  block.append(more)
  grow(FIRST)
  return block
}
