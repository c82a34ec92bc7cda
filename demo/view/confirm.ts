/** A question in the page itself: what would happen, and a yes and a no to it. */
import { button, byId, el } from './dom.ts'

let answerOpen: ((answer: boolean) => void) | undefined

/** Resolves to the answer. Another question, or `dismiss`, answers no. */
export function confirmed(text: string, action: string): Promise<boolean> {
  dismiss()
  const host = byId('confirm', HTMLElement)
  const asker = document.activeElement
  return new Promise((resolve) => {
    const answer = (isYes: boolean): void => {
      if (answerOpen !== answer) return
      answerOpen = undefined
      const hadFocus = host.contains(document.activeElement)
      host.replaceChildren()
      if (hadFocus && asker instanceof HTMLElement) asker.focus()
      resolve(isYes)
    }
    answerOpen = answer
    const yes = button(action, () => answer(true), { class: 'danger' })
    const group = el(
      'div',
      { class: 'ask', role: 'group', 'aria-labelledby': 'ask-text' },
      el('p', { id: 'ask-text' }, text),
      el(
        'div',
        { class: 'tools' },
        yes,
        button('Cancel', () => answer(false)),
      ),
    )
    group.addEventListener('keydown', ({ key }) => {
      if (key === 'Escape') answer(false)
    })
    host.replaceChildren(group)
    yes.focus()
  })
}

export function dismiss(): void {
  answerOpen?.(false)
}
