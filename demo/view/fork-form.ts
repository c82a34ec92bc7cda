/** Asks how a fork should start: as it is, or with another last message. */
import { button, el } from './dom.ts'

export function forkForm(
  lastText: string,
  hint: string,
  cancel: () => void,
  fork: (editedText: string | undefined) => Promise<void>,
): HTMLFormElement {
  const text = el('textarea', { id: 'fork-text', rows: '3', 'aria-describedby': 'fork-hint' }, lastText)
  const submit = el('button', { type: 'submit', class: 'primary' }, 'Fork')
  const form = el(
    'form',
    { class: 'ask', 'aria-label': 'Fork' },
    el('label', { for: 'fork-text' }, 'Last message, to keep or to change'),
    text,
    el('p', { id: 'fork-hint', class: 'faint' }, hint),
    el('div', { class: 'tools' }, submit, button('Cancel', cancel)),
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    submit.disabled = true
    void fork(text.value === lastText ? undefined : text.value).finally(() => (submit.disabled = false))
  })
  form.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') cancel()
  })
  return form
}
