import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { IconButton } from './icon-button.tsx'

const SHOWN_MS = 2_000
const LABELS = { no: 'Copy', yes: 'Copied', failed: 'Could not be copied' } as const

/** Says for a moment whether it has. */
export function CopyButton({ text }: { readonly text: string }): JSX.Element {
  const [isCopied, setCopied] = useState<keyof typeof LABELS>('no')
  useEffect(() => {
    if (isCopied === 'no') return
    const timer = setTimeout(() => setCopied('no'), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text)
      setCopied('yes')
    } catch {
      setCopied('failed')
    }
  }
  return (
    <>
      <IconButton
        icon={isCopied === 'yes' ? 'check' : isCopied === 'failed' ? 'close' : 'copy'}
        label={LABELS[isCopied]}
        {...(isCopied === 'no' ? {} : { class: 'told' })}
        onClick={() => void copy()}
      />
      <span class="unseen" role="status">
        {isCopied === 'no' ? '' : LABELS[isCopied]}
      </span>
    </>
  )
}
