/** The buttons, and what the agent is doing right now. */
import { byId } from './dom.ts'

export type Doing =
  | { readonly is: 'running'; readonly step: number | undefined }
  | { readonly is: 'running elsewhere' | 'new' | 'finished' }
  | { readonly is: 'paused'; readonly before: string }

export interface Actions {
  readonly run: () => void
  readonly stop: () => void
  readonly new: () => void
  readonly prune: () => void
  readonly delete: () => void
}

const buttonOf = (name: keyof Actions): HTMLButtonElement => byId(name, HTMLButtonElement)

export function onActions(actions: Actions): void {
  for (const name of ['run', 'stop', 'new', 'prune', 'delete'] as const) {
    buttonOf(name).addEventListener('click', actions[name])
  }
}

export function showControls(doing: Doing): void {
  const isRunning = doing.is === 'running'
  const isFocused = document.activeElement
  enable(buttonOf('run'), !isRunning && doing.is !== 'running elsewhere')
  enable(buttonOf('stop'), isRunning)
  enable(buttonOf('new'), true)
  enable(buttonOf('prune'), doing.is !== 'new')
  enable(buttonOf('delete'), doing.is !== 'new')
  // A button that goes dead under the finger hands the focus to its counterpart.
  if (isFocused === buttonOf('run') && isRunning) buttonOf('stop').focus()
  if (isFocused === buttonOf('stop') && !isRunning) buttonOf('run').focus()
  const state = byId('run-state', HTMLElement)
  state.dataset['is'] = doing.is
  state.textContent = textOf(doing)
}

function enable(button: HTMLButtonElement, isEnabled: boolean): void {
  button.disabled = !isEnabled
}

function textOf(doing: Doing): string {
  switch (doing.is) {
    case 'running':
      return doing.step === undefined ? 'Running' : `Running, step ${doing.step}`
    case 'running elsewhere':
      return 'Running in another tab'
    case 'paused':
      return `Paused before ${doing.before}`
    case 'finished':
      return 'Finished'
    case 'new':
      return 'Ready'
  }
}
