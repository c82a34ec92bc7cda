/** The side panel. It has no store: all that it shows comes from the service worker, over a port. */
import { CheckpointerError, type RunInfo } from 'forkpoint'
import { connectCheckpointer } from 'forkpoint/extension'
import type { Notes } from './agent.ts'
import { browser } from './browser.ts'
import { byId } from './dom.ts'
import { showNotes, showPages } from './panel-view.ts'

const checkpointer = await connectCheckpointer()
const place = byId('notes', HTMLElement)
const status = byId('status', HTMLElement)
const pages = byId('pages', HTMLUListElement)

let shown: string | undefined
let following: AbortController | undefined

byId('begin', HTMLButtonElement).addEventListener('click', () => void begin().catch(fail))
byId('options', HTMLButtonElement).addEventListener('click', () => void browser.runtime.openOptionsPage())
checkpointer.subscribe((event) => {
  if (event.type === 'deleted' && event.thread === shown) show(undefined)
  // What the button in the toolbar has begun.
  if (event.type === 'saved' && event.seq === 1) show(event.thread)
  if (event.type !== 'writes') void list().catch(fail)
})
await list()
show(pages.querySelector<HTMLElement>('.row')?.dataset['id'])

async function begin(): Promise<void> {
  say('')
  const { thread, error } = (await browser.runtime.sendMessage('take notes')) as {
    readonly thread?: string
    readonly error?: string
  }
  if (error !== undefined) throw new Error(error)
  if (thread === undefined)
    say('This page may not be read yet. Press the button of this extension in the toolbar: that allows it.')
  else show(thread)
}

/** Follows one thread, live, until another one is shown. */
function show(thread: string | undefined): void {
  if (thread === shown && following) return
  following?.abort()
  shown = thread
  following = thread === undefined ? undefined : new AbortController()
  showNotes(place, undefined)
  if (thread !== undefined && following) void follow(thread, following.signal).catch(fail)
  void list().catch(fail)
}

async function follow(id: string, signal: AbortSignal): Promise<void> {
  const thread = checkpointer.thread<Notes>(id)
  const forget = (): void => void thread.delete().catch(fail)
  let run: RunInfo | undefined
  let state: Notes | undefined
  try {
    for await (const event of thread.watch({ signal })) {
      if (event.type === 'run') ({ run } = event)
      if (event.type === 'state') ({ state } = event.checkpoint)
      showNotes(place, state && { state, run, forget })
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

async function list(): Promise<void> {
  const found: { readonly id: string; readonly title: string; readonly updatedAt: Date }[] = []
  for await (const { id, head, updatedAt } of checkpointer.threads({ limit: 20 })) {
    const { title } = head?.extra ?? {}
    found.push({ id, title: typeof title === 'string' ? title : 'Reading …', updatedAt })
  }
  showPages(pages, found, shown, show)
  byId('pages-empty', HTMLElement).hidden = found.length > 0
}

function say(text: string, tone = ''): void {
  status.textContent = text
  status.dataset['tone'] = tone
}

function fail(error: unknown): void {
  const code = CheckpointerError.is(error) ? `${error.code}: ` : ''
  say(code + (error instanceof Error ? error.message : String(error)), 'error')
}
