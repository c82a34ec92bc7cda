import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { App } from '../app.ts'
import type { OpenThread } from '../threads/open-thread.ts'
import { AgentTurn } from './agent-turn.tsx'
import { IconButton } from './icon-button.tsx'
import { rowsOf, type Row } from './rows.ts'
import { useRows, type RowsRead } from './use-rows.ts'
import { useStore } from './use-store.ts'
import { UserTurn } from './user-turn.tsx'

interface Props {
  readonly app: App
  readonly thread: OpenThread
}

export function Transcript({ app, thread }: Props): JSX.Element {
  const seen = useStore(thread.seen)
  const items = useMemo(() => rowsOf(seen), [seen])
  const scroller = useRef<HTMLDivElement>(null)
  const keys = items.map(({ key }) => key)
  const read = useRows({ keys, scroller: () => scroller.current })
  const { rows } = read
  const isFilled = items.length > 0
  useLayoutEffect(() => {
    if (isFilled) read.goToEnd()
  }, [isFilled])
  useAsked(read, app, thread)
  useFound(read, keys, app)
  const visible = rows.getVirtualItems()
  return (
    <div class="talk">
      <div
        class="transcript"
        ref={scroller}
        tabIndex={0}
        role="region"
        aria-label="Conversation"
        onClickCapture={({ target }) => {
          if (target instanceof Element && target.closest('summary')) read.hold()
        }}
      >
        <div class="rows" role="list" style={{ blockSize: `${rows.getTotalSize()}px` }}>
          <div
            class="rows-seen"
            role="presentation"
            style={{ transform: `translateY(${visible[0]?.start ?? 0}px)` }}
          >
            {visible.map(({ index, key }) => {
              const row = items[index]
              return (
                row && (
                  <div
                    key={key}
                    class="row"
                    role="listitem"
                    aria-setsize={items.length}
                    aria-posinset={index + 1}
                    data-index={index}
                    ref={rows.measureElement}
                  >
                    <Turn app={app} thread={thread} row={row} isLast={index === items.length - 1} />
                  </div>
                )
              )
            })}
          </div>
        </div>
      </div>
      {isFilled && !rows.isAtEnd() && (
        <IconButton icon="down" label="To the latest" class="to-end" onClick={read.goToEnd} />
      )}
    </div>
  )
}

/** Who says something wants to see what becomes of it. */
function useAsked(read: RowsRead, app: App, thread: OpenThread): void {
  const asked = useStore(thread.asked)
  const before = useRef(asked)
  useLayoutEffect(() => {
    if (asked === before.current) return
    before.current = asked
    app.found.set(undefined)
    read.goToEnd()
  }, [asked])
}

/** Leads to what was looked for. */
function useFound(read: RowsRead, keys: readonly string[], app: App): void {
  const found = useStore(app.found)
  const index = found?.message === undefined ? -1 : keys.indexOf(found.message)
  useEffect(() => {
    if (index >= 0) read.goTo(index)
  }, [index, found])
}

function Turn({
  app,
  thread,
  row,
  isLast,
}: Props & { readonly row: Row; readonly isLast: boolean }): JSX.Element {
  const branches = useStore(thread.branches)
  const found = useStore(app.found)
  const isBusy = thread.isRunning
  const query = found?.message === row.key ? found.query : undefined
  const onShow: Parameters<typeof UserTurn>[0]['onShow'] = (ways, at) => app.attempt(thread.show(ways, at))
  if (row.kind === 'user')
    return (
      <UserTurn
        message={row.message}
        ways={branches?.waysOfSaying(row.message)}
        isBusy={isBusy}
        isOpen={isLast && !isBusy}
        canEdit={branches?.before(row.message) !== undefined}
        canAnswer={branches?.begin(row.message) !== undefined}
        query={query}
        onAgain={() => app.attempt(thread.answerAnew(row.message))}
        onSay={(text) => thread.sayOtherwise(row.message, text)}
        onShow={onShow}
      />
    )
  return (
    <AgentTurn
      row={row}
      ways={row.answers && branches?.waysOfAnswering(row.answers)}
      isBusy={isBusy}
      canAnswer={row.answers !== undefined && branches?.begin(row.answers) !== undefined}
      query={query}
      onGoOn={isLast ? () => app.attempt(thread.send('Go on')) : undefined}
      onAgain={(message) => app.attempt(thread.answerAnew(message))}
      onShow={onShow}
    />
  )
}
