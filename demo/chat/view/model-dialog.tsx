import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { promptApiState } from '../models/browser/prompt-api.ts'
import { BLOCKED, isBlocked } from '../models/endpoint/reach.ts'
import { changeSettings, isKeyGone, settings, type Settings } from '../models/settings.ts'
import { useStore } from './use-store.ts'

export function ModelDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null)
  const [draft, setDraft] = useState<Settings>(settings.value)
  const browser = useBrowserModel()
  const change = (part: Partial<Settings>): void => setDraft({ ...draft, ...part })
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} aria-labelledby="model-title" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          changeSettings(draft)
          dialog.current?.close()
        }}
      >
        <h2 id="model-title">Which model answers?</h2>
        <fieldset>
          <legend class="unseen">Model</legend>
          <Choice
            kind="script"
            draft={draft}
            onChange={change}
            name="Built-in script"
            hint="No network, always the same answers; it really uses the tools."
          />
          <Choice
            kind="browser"
            draft={draft}
            onChange={change}
            name="The browser’s own"
            hint={browser.says}
            disabled={!browser.isThere}
          />
          <Choice
            kind="endpoint"
            draft={draft}
            onChange={change}
            name="An endpoint"
            hint="Ollama, LM Studio or a hosted one that speaks the chat completions of OpenAI."
          />
        </fieldset>
        {draft.kind === 'endpoint' && <Endpoint draft={draft} onChange={change} />}
        <div class="card-acts">
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="submit" class="primary">
            Use it
          </button>
        </div>
      </form>
    </dialog>
  )
}

interface DraftProps {
  readonly draft: Settings
  readonly onChange: (part: Partial<Settings>) => void
}

interface ChoiceProps extends DraftProps {
  readonly kind: Settings['kind']
  readonly name: string
  readonly hint: string
  readonly disabled?: boolean
}

function Choice({ kind, draft, onChange, name, hint, disabled = false }: ChoiceProps): JSX.Element {
  return (
    <label class="choice">
      <input
        type="radio"
        name="kind"
        checked={draft.kind === kind}
        disabled={disabled}
        onChange={() => onChange({ kind })}
      />
      <span>
        {name}
        <span class="hint">{hint}</span>
      </span>
    </label>
  )
}

function Endpoint({ draft, onChange }: DraftProps): JSX.Element {
  const isGone = isKeyGone(useStore(settings))
  return (
    <div class="fields">
      <label>
        Address
        <input
          type="url"
          required
          value={draft.url}
          onInput={({ currentTarget }) => onChange({ url: currentTarget.value })}
        />
        {isBlocked(draft.url) && <span class="hint">{BLOCKED}</span>}
      </label>
      <label>
        Model
        <input
          required
          value={draft.model}
          onInput={({ currentTarget }) => onChange({ model: currentTarget.value })}
        />
      </label>
      <label>
        Key, if it wants one
        <input
          type="password"
          autoComplete="off"
          value={draft.key}
          autoFocus={isGone}
          onInput={({ currentTarget }) => onChange({ key: currentTarget.value })}
        />
        {isGone && <span class="hint">It was kept in memory alone, and went with the page.</span>}
      </label>
      <label class="choice">
        <input
          type="checkbox"
          checked={draft.keepsKey}
          onChange={({ currentTarget }) => onChange({ keepsKey: currentTarget.checked })}
        />
        <span>
          Remember the key in this browser
          <span class="hint">Else it is gone with this page. Whoever uses this browser could read it.</span>
        </span>
      </label>
    </div>
  )
}

function useBrowserModel(): { readonly isThere: boolean; readonly says: string } {
  const [state, setState] = useState({ isThere: false, says: 'Looking …' })
  useEffect(() => void promptApiState().then(setState), [])
  return state
}
