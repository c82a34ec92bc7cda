import type { JSX } from 'preact'
import type { Ways } from '../threads/branches.ts'
import { IconButton } from './icon-button.tsx'

interface Props {
  readonly ways: Ways | undefined
  /** Of what: 'message', 'answer'. */
  readonly what: string
  readonly isBusy: boolean
  readonly onShow: (ways: Ways, at: number) => void
}

/** Leads from one branch to the next. */
export function WaysPager({ ways, what, isBusy, onShow }: Props): JSX.Element | null {
  if (!ways) return null
  const { tips, at } = ways
  return (
    <span class="ways" role="group" aria-label={`Branches of this ${what}`}>
      <IconButton
        icon="back"
        label={`Previous ${what}`}
        disabled={isBusy || at === 0}
        onClick={() => onShow(ways, at - 1)}
      />
      <span class="ways-at">
        {at + 1} / {tips.length}
      </span>
      <IconButton
        icon="forward"
        label={`Next ${what}`}
        disabled={isBusy || at === tips.length - 1}
        onClick={() => onShow(ways, at + 1)}
      />
    </span>
  )
}
