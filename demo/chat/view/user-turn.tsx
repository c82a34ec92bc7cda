import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { UserMessage } from '../agent/chat.ts'
import type { Ways } from '../threads/branches.ts'
import { clamped } from './clamped.ts'
import { IconButton } from './icon-button.tsx'
import { marked } from './marked.tsx'
import { WaysPager } from './ways.tsx'

interface Props {
  readonly message: UserMessage
  readonly ways: Ways | undefined
  readonly isBusy: boolean
  /** Nobody has answered it. */
  readonly isOpen: boolean
  /** The steps are still there from which it can be said otherwise, or answered. */
  readonly canEdit: boolean
  readonly canAnswer: boolean
  /** What was looked for, and is marked. */
  readonly query?: string | undefined
  /** Whether it was taken. */
  readonly onSay: (text: string) => Promise<boolean>
  readonly onAgain: () => void
  readonly onShow: (ways: Ways, at: number) => void
}

export function UserTurn(props: Props): JSX.Element {
  const { message, ways, isBusy, isOpen, canEdit, canAnswer, query, onSay, onAgain, onShow } = props
  const [edited, setEdited] = useState<string | undefined>(undefined)
  const say = (text: string): void => {
    setEdited(undefined)
    void onSay(text).then((isTaken) => isTaken || setEdited(text))
  }
  if (edited !== undefined) return <Editor text={edited} onCancel={() => setEdited(undefined)} onSay={say} />
  return (
    <div class="turn user" data-found={query !== undefined}>
      <p class="who">You</p>
      <p class="bubble">{marked(clamped(message.text), query)}</p>
      <div class="acts">
        {canEdit && (
          <IconButton
            icon="edit"
            label="Edit and branch"
            disabled={isBusy}
            onClick={() => setEdited(message.text)}
          />
        )}
        {isOpen && canAnswer && (
          <IconButton icon="again" label="Answer" disabled={isBusy} onClick={onAgain} />
        )}
        <WaysPager ways={ways} what="message" isBusy={isBusy} onShow={onShow} />
      </div>
    </div>
  )
}

interface EditorProps {
  readonly text: string
  readonly onSay: (text: string) => void
  readonly onCancel: () => void
}

function Editor({ text, onSay, onCancel }: EditorProps): JSX.Element {
  const [draft, setDraft] = useState(text)
  const area = useRef<HTMLTextAreaElement>(null)
  useEffect(() => area.current?.focus(), [])
  const say = (): void => (draft.trim() === '' ? undefined : onSay(draft.trim()))
  return (
    <form
      class="turn user editor"
      onSubmit={(event) => {
        event.preventDefault()
        say()
      }}
    >
      <textarea
        aria-label="Your message, edited"
        value={draft}
        rows={2}
        ref={area}
        onInput={({ currentTarget }) => setDraft(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onCancel()
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
          event.preventDefault()
          say()
        }}
      />
      <div class="editor-acts">
        <p class="hint">What followed stays, on a branch of its own.</p>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
        <button type="submit" class="primary">
          Send
        </button>
      </div>
    </form>
  )
}
