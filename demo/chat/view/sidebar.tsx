import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { App } from '../app.ts'
import { newName } from '../threads/ids.ts'
import { Icon } from './icon.tsx'
import { Later, laterView } from './later.tsx'
import { OfflineMark } from './offline-mark.tsx'
import { ThreadItems } from './thread-items.tsx'
import { useStore } from './use-store.ts'

interface Props {
  readonly app: App
  /** Something was chosen: on a phone it gives way to it. */
  readonly onLeave: () => void
}

const foundList = laterView(() => import('./found-list.tsx').then(({ FoundList }) => FoundList))

export function Sidebar({ app, onLeave }: Props): JSX.Element {
  const threads = useStore(app.list.threads)
  const [query, setQuery] = useState('')
  return (
    <nav class="sidebar" aria-label="Conversations">
      <div class="sidebar-head">
        <button
          type="button"
          class="new"
          onClick={() => {
            app.open(newName())
            onLeave()
          }}
        >
          <Icon name="plus" />
          New conversation
        </button>
        <input
          type="search"
          id="search"
          aria-label="Search conversations"
          placeholder="Search"
          value={query}
          onInput={({ currentTarget }) => {
            setQuery(currentTarget.value)
            // Who has done with searching wants no more marks.
            if (currentTarget.value === '') app.found.set(undefined)
          }}
        />
      </div>
      {query.trim() === '' ? (
        <ThreadItems app={app} threads={threads} onLeave={onLeave} />
      ) : (
        <Later of={foundList} props={{ app, query, onLeave }} />
      )}
      <OfflineMark />
    </nav>
  )
}
