import type { JSX } from 'preact'
import type { App } from '../app.ts'
import type { OpenThread } from '../threads/open-thread.ts'
import { Announcer } from './announcer.tsx'
import { Composer } from './composer.tsx'
import { Empty } from './empty.tsx'
import { Header } from './header.tsx'
import { Later, laterView } from './later.tsx'
import { Sidebar } from './sidebar.tsx'
import { StateLine } from './state-line.tsx'
import { useParts } from './use-parts.ts'
import { useStore } from './use-store.ts'

const askDialog = laterView(() => import('./ask-dialog.tsx').then(({ AskDialog }) => AskDialog))
const inspector = laterView(() => import('./inspector.tsx').then(({ Inspector }) => Inspector))
const modelDialog = laterView(() => import('./model-dialog.tsx').then(({ ModelDialog }) => ModelDialog))
const transcript = laterView(() => import('./transcript.tsx').then(({ Transcript }) => Transcript))

export function Page({ app }: { readonly app: App }): JSX.Element {
  const thread = useStore(app.thread)
  const asked = useStore(app.asked)
  const choosesModel = useStore(app.choosesModel)
  const parts = useParts()
  const { isDrawer, isDrawerOpen, isInspected, isCovered } = parts
  return (
    <div
      class="page"
      data-sidebar={isDrawer ? 'drawer' : 'beside'}
      data-menu={isDrawerOpen}
      data-inspector={isCovered ? 'cover' : isInspected ? 'beside' : 'none'}
    >
      <Sidebar app={app} onLeave={parts.closeMenu} />
      {isDrawerOpen && <div class="shade" onClick={parts.closeMenu} />}
      <main class="chat" inert={isDrawerOpen || isCovered}>
        <Header app={app} parts={parts} />
        <Talk app={app} thread={thread} />
        <div class="foot">
          <StateLine app={app} thread={thread} />
          <Composer app={app} thread={thread} />
        </div>
      </main>
      {/* Not within what is put out of reach while something lies over it. */}
      <Announcer app={app} thread={thread} />
      {isInspected && (
        <aside class="inspector" aria-label="Inspector" inert={isDrawerOpen}>
          <Later of={inspector} props={{ app, takesFocus: isCovered, onClose: parts.toggleInspector }} />
        </aside>
      )}
      {asked && <Later of={askDialog} props={{ app, asked }} />}
      {choosesModel && <Later of={modelDialog} props={{ onClose: () => app.choosesModel.set(false) }} />}
    </div>
  )
}

/** Nothing until it is known whether there is something. */
function Talk({ app, thread }: { readonly app: App; readonly thread: OpenThread }): JSX.Element {
  const { chat } = useStore(thread.seen)
  if (!chat) return <div />
  if (chat.messages.length === 0) return <Empty app={app} thread={thread} />
  return <Later key={thread.id} of={transcript} props={{ app, thread }} />
}
