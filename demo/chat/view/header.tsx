import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { App } from '../app.ts'
import { settings } from '../models/settings.ts'
import { writeTitle } from '../threads/titles.ts'
import { IconButton } from './icon-button.tsx'
import { More } from './more.tsx'
import type { Parts } from './use-parts.ts'
import { useStore } from './use-store.ts'

interface Props {
  readonly app: App
  readonly parts: Parts
}

const MODELS = { script: 'Built-in script', browser: 'Browser’s model' } as const

export function Header({ app, parts }: Props): JSX.Element {
  const { isDrawer, isDrawerOpen, isInspected } = parts
  const thread = useStore(app.thread)
  const { head } = useStore(thread.seen)
  const title = useStore(app.list.threads)?.find(({ id }) => id === thread.id)?.title
  const { kind, model } = useStore(settings)
  const [isRenamed, setRenamed] = useState(false)
  const isStored = head !== undefined && title !== undefined
  const acts = (
    <>
      <IconButton icon="edit" label="Rename" onClick={() => setRenamed(true)} />
      <IconButton icon="trash" label="Delete" onClick={() => app.askDelete()} />
    </>
  )
  const name = kind === 'endpoint' ? model : MODELS[kind]
  return (
    <header class="top">
      {isDrawer && (
        <IconButton
          icon="menu"
          label="Conversations"
          class="menu"
          expanded={isDrawerOpen}
          onClick={parts.toggleMenu}
        />
      )}
      <h1 class={isRenamed ? 'unseen' : 'title'}>{title ?? 'New conversation'}</h1>
      {isStored && isRenamed && (
        <input
          class="title-input"
          aria-label="Title"
          defaultValue={title}
          ref={(input) => input?.focus()}
          onBlur={({ currentTarget }) => {
            setRenamed(false)
            const named = currentTarget.value.trim()
            if (named !== '' && named !== title) app.attempt(writeTitle(app.checkpointer, thread.id, named))
          }}
          onKeyDown={({ key, currentTarget }) => {
            if (key === 'Escape') currentTarget.value = title
            if (key === 'Enter' || key === 'Escape') currentTarget.blur()
          }}
        />
      )}
      <div class="tools">
        {isStored && (isDrawer ? <More>{acts}</More> : acts)}
        <button
          type="button"
          class="model"
          onClick={() => app.choosesModel.set(true)}
          aria-label={`Model: ${name}`}
        >
          {name}
        </button>
        <IconButton
          icon="inspect"
          label="Inspector"
          class="inspect"
          pressed={isInspected}
          onClick={parts.toggleInspector}
        />
      </div>
    </header>
  )
}
