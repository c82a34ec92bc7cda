import type { JSX } from 'preact'
import type { App } from '../app.ts'
import type { ListedThread } from '../threads/thread-list.ts'
import { hashOf } from '../threads/ids.ts'
import { useStore } from './use-store.ts'

interface Props {
  readonly app: App
  readonly threads: readonly ListedThread[] | undefined
  readonly onLeave: () => void
}

export function ThreadItems({ app, threads, onLeave }: Props): JSX.Element {
  const { id: open } = useStore(app.thread)
  const own = useStore(app.runs.own)
  if (threads?.length === 0)
    return <p class="empty">No conversations yet. They are kept in this browser, and nowhere else.</p>
  return (
    <ul class="threads">
      {threads?.map(({ id, title, updatedAt, forkOf, run }) => (
        <li key={id}>
          <a
            class="thread"
            href={hashOf(id)}
            {...(id === open ? { 'aria-current': 'page' as const } : {})}
            onClick={onLeave}
          >
            <span class="thread-title">{title}</span>
            <span class="thread-about">
              {run === 'waiting' ? 'waits for you' : run || own.has(id) ? 'running' : when(updatedAt)}
              {forkOf !== undefined && ' · fork'}
            </span>
          </a>
        </li>
      ))}
    </ul>
  )
}

const time = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })

const when = (date: Date): string =>
  date.toDateString() === new Date().toDateString() ? time.format(date) : day.format(date)
