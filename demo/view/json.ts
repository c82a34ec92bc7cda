/** Any value as a tree that opens and closes. All of it is text nodes. */
import { el } from './dom.ts'

/** Which parts are open stays so from one checkpoint to the next. */
const isOpen = new Map<string, boolean>([
  ['$', true],
  ['$.messages', true],
])

export function jsonTree(value: unknown, name = 'state', path = '$', isLast = false): HTMLElement {
  const parts = partsOf(value)
  if (parts === undefined)
    return el('div', { class: 'leaf' }, el('span', { class: 'key' }, name), leaf(value))
  const summary = el(
    'summary',
    { 'data-path': path },
    el('span', { class: 'key' }, name),
    el('span', { class: 'faint' }, sizeOf(value, parts.length)),
    el('span', { class: 'preview' }, previewOf(parts)),
  )
  const body = el('div', { class: 'parts' })
  const tree = el('details', {}, summary, body)
  const fill = (): void => {
    if (body.childElementCount > 0) return
    const of = (part: string, i: number): boolean =>
      path === '$.messages' && i === parts.length - 1 && part !== ''
    body.append(...parts.map(([part, inner], i) => jsonTree(inner, part, `${path}.${part}`, of(part, i))))
  }
  // The newest message is open until somebody closes it.
  tree.open = isOpen.get(path) ?? isLast
  if (tree.open) fill()
  tree.addEventListener('toggle', () => {
    if (tree.open) fill()
    if (isOpen.has(path) || tree.open !== isLast) isOpen.set(path, tree.open)
  })
  return tree
}

function partsOf(value: unknown): [string, unknown][] | undefined {
  if (Array.isArray(value)) return value.map((each: unknown, i) => [String(i), each])
  if (value instanceof Set) return [...value].map((each: unknown, i) => [String(i), each])
  if (value instanceof Map) return [...value].map(([key, each]: [unknown, unknown]) => [String(key), each])
  if (typeof value !== 'object' || value === null || value instanceof Date) return undefined
  return Object.entries(value)
}

/** The texts inside, as far as a line holds them. */
function previewOf(parts: readonly [string, unknown][]): string {
  const texts = parts.map(([, part]) => part).filter((part) => typeof part === 'string')
  const line = texts.join(' · ')
  return line === '' ? '' : ` ${line.length > 56 ? `${line.slice(0, 55)}…` : line}`
}

function sizeOf(value: unknown, size: number): string {
  if (Array.isArray(value)) return `[${size}]`
  if (value instanceof Set) return `Set(${size})`
  if (value instanceof Map) return `Map(${size})`
  return `{${size}}`
}

function leaf(value: unknown): HTMLElement {
  if (value instanceof Date) return el('span', { class: 'date' }, value.toISOString())
  if (typeof value === 'string') return el('span', { class: 'text' }, `“${value}”`)
  return el('span', { class: 'atom' }, typeof value === 'bigint' ? `${value}n` : String(value))
}
