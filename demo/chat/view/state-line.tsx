/** What stands between the conversation and the place to write, when there is something to tell. */
import type { JSX } from 'preact'
import type { App } from '../app.ts'
import type { OpenThread } from '../threads/open-thread.ts'
import { Later, laterView } from './later.tsx'
import { useStore } from './use-store.ts'
import { whyShown } from './why-shown.ts'

const cards = laterView(() => import('./cards.tsx').then(({ Cards }) => Cards))

interface Props {
  readonly app: App
  readonly thread: OpenThread
}

export function StateLine({ app, thread }: Props): JSX.Element {
  const seen = useStore(thread.seen)
  // What runs elsewhere is another matter as soon as one runs here.
  useStore(app.runs.own)
  const { [thread.id]: account, '': general } = useStore(app.accounts)
  const shows = whyShown(seen, { runs: app.runs, account })
  const { run } = seen
  return (
    <div class="state">
      {(general ?? account ?? shows) && (
        <Later of={cards} props={{ app, id: thread.id, general, account, run, shows }} />
      )}
    </div>
  )
}
