import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { App } from '../app.ts'
import { drafts } from '../threads/drafts.ts'
import type { OpenThread } from '../threads/open-thread.ts'
import { Icon } from './icon.tsx'
import { useStore } from './use-store.ts'

interface Props {
  readonly app: App
  readonly thread: OpenThread
}

export function Composer({ app, thread }: Props): JSX.Element {
  const { run } = useStore(thread.seen)
  const own = useStore(app.runs.own)
  const [text, setText] = useState(drafts.of(thread.id))
  const area = useRef<HTMLTextAreaElement>(null)
  const isBusy = thread.isRunning || own.has(thread.id)
  const canStop = run !== undefined && isBusy && own.has(thread.id)
  useEffect(() => {
    setText(drafts.of(thread.id))
    // On a phone the keyboard would cover half of it.
    if (matchMedia('(hover: hover)').matches) area.current?.focus({ preventScroll: true })
  }, [thread])
  const write = (written: string): void => {
    drafts.keep(thread.id, written)
    setText(written)
  }
  /** What could not be stored is still here, to be sent again; wherever one has gone meanwhile. */
  const restore = (sent: string): void => {
    const now = drafts.of(thread.id)
    const all = now === '' || now === sent ? sent : `${sent}\n${now}`
    drafts.keep(thread.id, all)
    if (app.thread.value === thread) setText(all)
  }
  /** Until it is stored it stays a draft: the page may go in this very moment. */
  const forget = (sent: string): void => {
    if (drafts.of(thread.id) === sent) drafts.keep(thread.id, '')
  }
  const send = (): void => {
    if (text.trim() === '' || isBusy) return
    setText('')
    app.tell(thread.id, undefined)
    const sent = thread.send(text.trim())
    sent.then(
      (isTaken) => (isTaken ? forget(text) : restore(text)),
      () => restore(text),
    )
    app.attempt(sent)
  }
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <textarea
        ref={area}
        aria-label="Message"
        placeholder="Ask the agent"
        rows={1}
        value={text}
        onInput={({ currentTarget }) => write(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && canStop) app.attempt(app.runs.stop(run))
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
          event.preventDefault()
          send()
        }}
      />
      {canStop ? (
        <button
          type="button"
          class="round stop"
          aria-label="Stop"
          title="Stop (Esc)"
          onClick={() => app.attempt(app.runs.stop(run))}
        >
          <Icon name="stop" />
        </button>
      ) : (
        <button
          type="submit"
          class="round primary"
          aria-label="Send"
          title="Send (Enter)"
          disabled={text.trim() === '' || isBusy}
        >
          <Icon name="send" />
        </button>
      )}
    </form>
  )
}
