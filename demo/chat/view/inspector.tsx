import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { App } from '../app.ts'
import { IconButton } from './icon-button.tsx'
import { useStore } from './use-store.ts'

interface Props {
  readonly app: App
  /** It covers what had the focus before. */
  readonly takesFocus: boolean
  readonly onClose: () => void
}

/** Beside the chat. Nothing of it is fetched before somebody opens it. */
export function Inspector({ app, takesFocus, onClose }: Props): JSX.Element {
  const head = useRef<HTMLDivElement>(null)
  const place = useRef<HTMLDivElement>(null)
  const { id } = useStore(app.thread)
  const isStored = useStore(useStore(app.thread).seen).head !== undefined
  const titles = new Map(useStore(app.list.threads)?.map((thread) => [thread.id, thread.title]))
  const shown = (): HTMLElementTagNameMap['forkpoint-inspector'] | null | undefined =>
    place.current?.querySelector('forkpoint-inspector')
  useEffect(() => {
    const show = async (): Promise<void> => {
      await import('forkpoint/inspector')
      const inspector = document.createElement('forkpoint-inspector')
      inspector.checkpointer = app.checkpointer
      inspector.titles = titles
      inspector.addEventListener('forkpoint-load', ({ detail }) => app.attempt(app.goBack(detail)))
      place.current?.replaceChildren(inspector)
      if (isStored) inspector.thread = id
    }
    app.attempt(show())
  }, [])
  useEffect(() => {
    if (takesFocus) head.current?.querySelector('button')?.focus()
  }, [takesFocus])
  useEffect(() => {
    const inspector = shown()
    if (inspector && isStored) inspector.thread = id
  }, [id, isStored])
  useEffect(() => {
    const inspector = shown()
    if (inspector) inspector.titles = titles
  }, [JSON.stringify([...titles])])
  return (
    <>
      <div class="inspector-head" ref={head}>
        <h2>Inspector</h2>
        <p class="hint">Every step that is stored. Load one to go on from it.</p>
        <IconButton icon="close" label="Close the inspector" onClick={onClose} />
      </div>
      <div class="inspector-place" ref={place} />
    </>
  )
}
