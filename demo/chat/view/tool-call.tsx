import type { JSX } from 'preact'
import type { CallShown } from './rows.ts'
import { clamped } from './clamped.ts'
import { Icon } from './icon.tsx'

/** A call of a tool, and what came of it. */
export function ToolCall({ call, result, isAsked = false }: CallShown): JSX.Element {
  const state = !result ? 'going' : result.isError ? 'failed' : 'done'
  return (
    <details class="call" data-is={state}>
      <summary>
        <Icon name={state === 'done' ? 'check' : 'tool'} />
        <span class="call-tool">{call.tool}</span>
        <span class="call-input">{summaryOf(call.input)}</span>
        <span class="call-state">{state === 'going' && isAsked ? 'waits for you' : STATES[state]}</span>
      </summary>
      <pre tabIndex={0}>
        <code>{clamped(inputOf(call.input))}</code>
      </pre>
      {result && (
        <pre tabIndex={0}>
          <code>{clamped(result.text)}</code>
        </pre>
      )}
    </details>
  )
}

const STATES = { going: 'working …', failed: 'did not work', done: 'done' } as const

/** As it was meant: a text as a text, code in its lines. */
function inputOf(input: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(input).map(([name, value]) => [name, textOf(value, 2)] as const)
  const [only, ...others] = parts
  if (only && others.length === 0) return only[1]
  return parts.map(([name, text]) => `${name}:${text.includes('\n') ? '\n' : ' '}${text}`).join('\n')
}

const textOf = (value: unknown, indent?: number): string =>
  typeof value === 'string' ? value : JSON.stringify(value, undefined, indent)

const summaryOf = (input: Readonly<Record<string, unknown>>): string =>
  Object.values(input)
    .map((value) => textOf(value).slice(0, 200))
    .join(' · ')
    .replace(/\s+/g, ' ')
    .slice(0, 120)
