/** What stands between the conversation and the place to write, when there is something to tell. */
import type { JSX } from 'preact'
import type { App } from '../app.ts'
import type { OpenThread } from '../threads/open-thread.ts'
import type { CardsProps } from './cards.tsx'
import { Later, laterView } from './later.tsx'
import { useStore } from './use-store.ts'

const cards = laterView(() => import('./cards.tsx').then(({ Cards }) => Cards))

interface Props {
  readonly app: App
  readonly thread: OpenThread
}

export function StateLine({ app, thread }: Props): JSX.Element {
  const { run, headRun } = useStore(thread.seen)
  const own = useStore(app.runs.own)
  const { [thread.id]: account, '': general } = useStore(app.accounts)
  // One that found no room looks as if it ran, since not even its end could be stored.
  const isElsewhere = run?.status === 'running' && !own.has(thread.id) && !account?.offer
  // One that others have saved behind is history.
  const isFailed = run?.status === 'failed' && headRun === run.runId
  const isWaiting = run?.status === 'waiting'
  const shows: CardsProps['shows'] = isFailed
    ? 'failed'
    : isWaiting
      ? 'waiting'
      : isElsewhere
        ? 'elsewhere'
        : undefined
  return (
    <div class="state">
      {(general ?? account ?? shows) && (
        <Later of={cards} props={{ app, id: thread.id, general, account, run, shows }} />
      )}
    </div>
  )
}
