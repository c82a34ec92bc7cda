/** The one line that says what has happened. Screen readers hear it. */
import { CheckpointerError } from 'forkpoint'
import { byId, el } from './dom.ts'

type Tone = 'calm' | 'warning' | 'error'

export function say(text: string): void {
  show('calm', text)
}

export function warn(problem: unknown): void {
  show('warning', ...parts(problem))
}

export function fail(problem: unknown): void {
  show('error', ...parts(problem))
}

function parts(problem: unknown): [text: string, code?: string] {
  if (CheckpointerError.is(problem)) return [problem.message, problem.code]
  return [problem instanceof Error ? problem.message : String(problem)]
}

function show(tone: Tone, text: string, code?: string): void {
  const line = byId('status', HTMLElement)
  line.dataset['tone'] = tone
  line.replaceChildren(...(code === undefined ? [] : [el('code', {}, code), ' ']), text)
}
