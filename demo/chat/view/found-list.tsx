import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { App } from '../app.ts'
import { search, type Found } from '../threads/search.ts'
import { marked } from './marked.tsx'

interface Props {
  readonly app: App
  readonly query: string
  readonly onLeave: () => void
}

const PAUSE_MS = 150

export function FoundList({ app, query, onLeave }: Props): JSX.Element {
  const { found, isOver } = useSearch(app, query)
  return (
    <>
      <p class="count" role="status">
        {found.length === 0 ? (isOver ? 'Nothing was found.' : 'Searching …') : `${found.length} found`}
      </p>
      <ul class="threads">
        {found.map((one, i) => (
          <li key={`${one.thread} ${one.message ?? ''} ${i}`}>
            <button
              type="button"
              class="thread"
              onClick={() => {
                app.show(one)
                onLeave()
              }}
            >
              <span class="thread-title">{one.title}</span>
              {one.excerpt !== '' && <span class="excerpt">{marked(one.excerpt, one.query)}</span>}
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}

/** What is found, as it is found. */
function useSearch(app: App, query: string): { found: readonly Found[]; isOver: boolean } {
  const [state, setState] = useState<{ found: readonly Found[]; isOver: boolean }>({
    found: [],
    isOver: false,
  })
  const threads = useRef(app.list.threads)
  useEffect(() => {
    const end = new AbortController()
    setState({ found: [], isOver: false })
    const look = async (): Promise<void> => {
      for await (const one of search(app.checkpointer, threads.current.value ?? [], query, end.signal))
        setState(({ found }) => ({ found: [...found, one], isOver: false }))
      if (!end.signal.aborted) setState(({ found }) => ({ found, isOver: true }))
    }
    const timer = setTimeout(() => query.trim() !== '' && app.attempt(look()), PAUSE_MS)
    return () => {
      clearTimeout(timer)
      end.abort()
    }
  }, [query])
  return state
}
