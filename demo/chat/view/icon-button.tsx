import type { JSX } from 'preact'
import { Icon } from './icon.tsx'

interface Props {
  readonly icon: Parameters<typeof Icon>[0]['name']
  readonly label: string
  readonly onClick: () => void
  readonly class?: string
  readonly disabled?: boolean
  readonly pressed?: boolean
  readonly expanded?: boolean
}

/**
 * What it does is said by its name, and shown when it is pointed at. One that can do nothing now keeps the focus: who came
 * by keyboard would be thrown back to the top of the page.
 */
export function IconButton(props: Props): JSX.Element {
  const { icon, label, onClick, pressed, expanded, disabled = false } = props
  return (
    <button
      type="button"
      class={`icon-button ${props.class ?? ''}`}
      aria-label={label}
      title={label}
      aria-disabled={disabled}
      {...(pressed === undefined ? {} : { 'aria-pressed': pressed })}
      {...(expanded === undefined ? {} : { 'aria-expanded': expanded })}
      onClick={() => disabled || onClick()}
    >
      <Icon name={icon} />
      <span class="label">{label}</span>
    </button>
  )
}
