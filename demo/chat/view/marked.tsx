import type { JSX } from 'preact'
import { placesIn } from '../threads/find-text.ts'

/** A text in which what was looked for is marked. */
export function marked(text: string, query: string | undefined): (JSX.Element | string)[] {
  if (query === undefined) return [text]
  const parts: (JSX.Element | string)[] = []
  let at = 0
  for (const [from, to] of placesIn(text, query)) {
    parts.push(text.slice(at, from), <mark key={from}>{text.slice(from, to)}</mark>)
    at = to
  }
  return [...parts, text.slice(at)]
}
