/** A text with a little Markdown, as elements: nothing in it is ever read as HTML, and nothing becomes a link. */
import type { JSX } from 'preact'
import { marked } from './marked.tsx'

interface Block {
  readonly kind: 'text' | 'code' | 'list' | 'numbers'
  readonly lines: readonly string[]
}

interface Props {
  readonly text: string
  /** What was looked for, and is marked. */
  readonly query?: string | undefined
}

export function Prose({ text, query }: Props): JSX.Element {
  return <div class="prose">{blocksOf(text).map((block, i) => drawBlock(block, i, query))}</div>
}

/** Blank lines part blocks; a fence runs to its end, or to the end of the text while it is still coming. */
function blocksOf(text: string): Block[] {
  const blocks: { kind: Block['kind']; lines: string[] }[] = []
  let open: Block['kind'] | undefined
  for (const line of text.split('\n')) {
    if (/^\s*```/.test(line)) {
      if (open !== 'code') blocks.push({ kind: 'code', lines: [] })
      open = open === 'code' ? undefined : 'code'
      continue
    }
    const kind = open === 'code' ? 'code' : kindOf(line)
    if (kind === undefined) open = undefined
    else if (kind === open) blocks.at(-1)?.lines.push(line)
    else blocks.push({ kind: (open = kind), lines: [line] })
  }
  return blocks
}

function kindOf(line: string): Block['kind'] | undefined {
  if (line.trim() === '') return undefined
  if (/^\s*[-*•] /.test(line)) return 'list'
  return /^\s*\d+[.)] /.test(line) ? 'numbers' : 'text'
}

function drawBlock({ kind, lines }: Block, key: number, query: string | undefined): JSX.Element {
  if (kind === 'code')
    return (
      <pre key={key} tabIndex={0}>
        <code>{marked(lines.join('\n'), query)}</code>
      </pre>
    )
  if (kind === 'text') return <p key={key}>{inline(lines.join('\n').replace(/^#+ /, ''), query)}</p>
  const items = lines.map((line, i) => (
    <li key={i}>{inline(line.replace(/^\s*(?:[-*•]|\d+[.)]) /, ''), query)}</li>
  ))
  return kind === 'list' ? <ul key={key}>{items}</ul> : <ol key={key}>{items}</ol>
}

function inline(text: string, query: string | undefined): (JSX.Element | string)[] {
  return text.split(/(`[^`\n]+`|\*\*[^*\n]+\*\*)/).flatMap((part, i) => {
    if (i % 2 === 0) return marked(part, query)
    return part.startsWith('`') ? (
      <code key={`part ${i}`}>{marked(part.slice(1, -1), query)}</code>
    ) : (
      <strong key={`part ${i}`}>{marked(part.slice(2, -2), query)}</strong>
    )
  })
}
