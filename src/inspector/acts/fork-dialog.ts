import type { Checkpoint } from '../../index.ts'
import { threadAt, type Desk, type Place } from '../desk.ts'
import { h } from '../dom/h.ts'
import { counted } from '../text/units.ts'
import { Dialog, field } from './dialog.ts'
import { EditableJson } from './editable-json.ts'

/** Forks a checkpoint, with an edit of its state. */
export function askFork(
  desk: Desk,
  place: Place,
  checkpoint: Checkpoint,
  onFork: (thread: string) => void,
): void {
  const { seq, state } = checkpoint
  const json = new EditableJson(state)
  const name = h('input', { type: 'text', autocomplete: 'off', maxlength: 256 })
  const label = h('input', { type: 'text', autocomplete: 'off' })
  const text = h('textarea', { class: 'json', rows: 14, spellcheck: 'false', 'aria-label': 'State as JSON' })
  text.value = json.text ?? ''
  const edited = (): unknown => {
    try {
      return json.read(text.value)
    } catch (error) {
      throw new Error(`This is not JSON yet: ${(error as Error).message}`, { cause: error })
    }
  }
  const dialog = new Dialog(desk, {
    title: `Fork from seq ${seq}`,
    body: [
      field('Thread id', name, 'Made when empty.'),
      field('Label', label),
      json.text === undefined
        ? h('p', { class: 'less' }, 'The state is too large to be edited here. It is forked as it is.')
        : h(
            'div',
            { class: 'field' },
            h('span', {}, 'State'),
            text,
            h('span', { class: 'less' }, hintOf(json.text)),
          ),
    ],
    act: 'Fork',
    work: async () => {
      const isEdited = json.text !== undefined && text.value !== json.text
      const next = isEdited ? edited() : undefined
      const twin = await threadAt(desk, place).fork({
        at: { seq },
        as: name.value === '' ? undefined : name.value,
        label: label.value === '' ? undefined : label.value,
        edit: isEdited ? () => next : undefined,
      })
      onFork(twin.id)
      return `Forked seq ${seq} to ${twin.id}${isEdited ? ', with the edit' : ''}.`
    },
  })
  text.addEventListener('input', () => {
    try {
      edited()
      dialog.complain(undefined)
      text.removeAttribute('aria-invalid')
    } catch (error) {
      dialog.complain(error)
      text.setAttribute('aria-invalid', 'true')
    }
  })
}

const hintOf = (text: string): string =>
  `${counted(text.length, 'character')}. ` +
  (text.includes('"$kept"')
    ? 'What JSON cannot say stands as $kept: move it, or take it out.'
    : 'Left as it is, it is forked as it is.')
