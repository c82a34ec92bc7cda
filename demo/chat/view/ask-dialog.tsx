import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { App, Asked } from '../app.ts'

interface Props {
  readonly app: App
  readonly asked: Asked
}

export function AskDialog({ app, asked: { question, yes, act } }: Props): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} aria-labelledby="asked" onClose={() => app.asked.set(undefined)}>
      <h2 id="asked">{question}</h2>
      <div class="card-acts">
        <button type="button" onClick={() => dialog.current?.close()}>
          Cancel
        </button>
        <button
          type="button"
          class="danger"
          onClick={() => {
            app.attempt(act())
            dialog.current?.close()
          }}
        >
          {yes}
        </button>
      </div>
    </dialog>
  )
}
