import { h } from '../dom/h.ts'
import { shown } from './shown.ts'

/** What went wrong, in words: with its code, if it has one. */
export function errorText(error: unknown): HTMLElement {
  if (isAbort(error)) return h('span', {}, 'Stopped.')
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  const text = error instanceof Error ? error.message : String(error)
  return h('span', {}, typeof code === 'string' && h('strong', { class: 'code' }, code, ' '), shown(text))
}

export const isAbort = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'AbortError'
