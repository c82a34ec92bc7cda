import type { Checkpoint } from '../../index.ts'
import { attempt, threadAt, type Desk, type Place } from '../desk.ts'
import { changesView } from '../diff/changes-view.ts'
import { button, fill, h } from '../dom/h.ts'
import { errorText } from '../text/errors.ts'

interface Comparison {
  readonly place: Place
  readonly checkpoint: Checkpoint
  /** The seq to compare with; the parent when absent. */
  readonly base: number | undefined
  /** Aborted when something else is shown. */
  readonly signal: AbortSignal
  readonly onBase: (seq: number | undefined) => void
}

/** What a checkpoint changed: of its parent, or of any other. */
export function diffView(desk: Desk, comparison: Comparison): HTMLElement {
  const { base, onBase } = comparison
  const field = h('input', {
    type: 'number',
    min: 1,
    step: 1,
    value: base ?? '',
    'aria-label': 'Compare with seq',
    placeholder: 'seq',
  })
  const choose = (event: Event): void => {
    event.preventDefault()
    onBase(field.value === '' ? undefined : field.valueAsNumber)
  }
  const form = h(
    'form',
    { class: 'compare', on: { submit: choose } },
    h('span', {}, 'Against'),
    button('Parent', () => onBase(undefined), { 'aria-pressed': String(base === undefined) }),
    field,
    h('button', { type: 'submit' }, 'Compare'),
  )
  const result = h('div', { class: 'compared' })
  attempt(desk, () => compare(desk, comparison, result))
  return h('div', {}, form, result)
}

async function compare(
  desk: Desk,
  { place, checkpoint, base, signal }: Comparison,
  result: HTMLElement,
): Promise<void> {
  const which = base === undefined ? checkpoint.parentId && { id: checkpoint.parentId } : { seq: base }
  if (!which)
    return fill(
      result,
      h('p', { class: 'empty' }, 'It has no parent: all of it is new.'),
      changesView(undefined, checkpoint.state),
    )
  try {
    const other = await threadAt(desk, place).load(which, { signal })
    if (signal.aborted) return
    if (other)
      fill(
        result,
        h('p', { class: 'less', role: 'status' }, `From seq ${other.seq} to seq ${checkpoint.seq}`),
        changesView(other.state, checkpoint.state),
      )
    else
      fill(
        result,
        h(
          'p',
          { class: 'empty' },
          base === undefined
            ? 'Its parent was removed. Compare it with another.'
            : `There is no checkpoint ${base} here.`,
        ),
      )
  } catch (error) {
    if (!signal.aborted) fill(result, h('p', { class: 'error' }, errorText(error)))
  }
}
