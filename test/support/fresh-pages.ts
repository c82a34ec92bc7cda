import { openCheckpointer } from 'forkpoint'
import { onTestFinished, vi } from 'vitest'

const BLANK = new URL('./blank.html', import.meta.url)

interface Answer {
  readonly told?: unknown
  readonly error?: string
}

interface FreshPages {
  /** Runs `play(about)` of the script, and gives what that gives; it must be plain. The page comes after so many milliseconds. */
  readonly load: (about: unknown, after?: number) => Promise<unknown>
  /** What `look()` of the script gives by now; nothing while there is none. */
  readonly look: () => unknown
}

/** A page that is loaded anew each time, so that nothing of the one before is left but what is stored. */
export function freshPages(script: URL): FreshPages {
  const frame = document.createElement('iframe')
  onTestFinished(() => frame.remove())
  document.body.append(frame)
  const load = (about: unknown, after = 0): Promise<unknown> => {
    const { id, told } = answer()
    // An address of its own, as pages have: from `about:srcdoc` no worker can be started.
    frame.src = `${BLANK.href}?${id}&answered_after=${after}`
    frame.addEventListener('load', () => run(frame.contentDocument, { script, about, id }), { once: true })
    return told
  }
  return { load, look: () => lookAt(frame.contentWindow) }
}

interface OpenedWindow {
  /** By a link, as a person would. */
  readonly leave: () => Promise<void>
  readonly back: () => Promise<void>
  /** As of a page that is loaded anew; nothing, too, when the browser has not kept it. */
  readonly look: () => unknown
}

/** A window of its own, with a page that plays: what is left there may be kept by the browser, which a frame never is. */
export async function openWindow(script: URL, about: unknown): Promise<OpenedWindow> {
  const { id, told } = answer()
  const opened = window.open(`${BLANK.href}?${id}`)
  if (!opened) throw new Error('The browser opens no windows')
  onTestFinished(() => opened.close())
  const arrived = (query: string): Promise<unknown> =>
    vi.waitUntil(() => opened.location.search === query && opened.document.readyState === 'complete', 5000)
  await arrived(`?${id}`)
  run(opened.document, { script, about, id })
  await told
  return {
    async leave() {
      opened.location.href = `${BLANK.href}?elsewhere`
      await arrived('?elsewhere')
    },
    async back() {
      opened.history.back()
      await arrived(`?${id}`)
    },
    look: () => lookAt(opened),
  }
}

const lookAt = (page: Window | null): unknown => structuredClone((page as Looked | null)?.look?.())

/** The name of a page, and what that comes to. */
function answer(): { readonly id: string; readonly told: Promise<unknown> } {
  const id = `page-${Math.random().toString(36).slice(2)}`
  const channel = new BroadcastChannel(id)
  const told = new Promise((resolve, reject) => {
    channel.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
      channel.close()
      if (data.error === undefined) resolve(data.told)
      else reject(new Error(data.error))
    })
  })
  return { id, told }
}

type Looked = Window & { readonly look?: () => unknown }

function run(
  page: Document | null,
  { script, about, id }: { script: URL; about: unknown; id: string },
): void {
  if (!page) throw new Error('The page did not load')
  // As one file: see bundled-pages.ts.
  const bundled = new URL('?page_file', script)
  const root = page.createElement('div')
  root.id = 'root'
  const code = page.createElement('script')
  code.type = 'module'
  code.textContent = `
    const channel = new BroadcastChannel(${JSON.stringify(id)})
    try {
      const { play, look } = await import(${JSON.stringify(bundled.href)})
      globalThis.look = look
      channel.postMessage({ told: await play(${JSON.stringify(about)}) })
    } catch (error) {
      channel.postMessage({ error: String(error instanceof Error ? error.stack : error) })
    }`
  page.body.append(root, code)
}

/**
 * Takes out what pages have stored under this name. Not with `destroy`: of a worker whose page went in the midst of a commit
 * WebKit keeps the connection, and a deletion that waits for that holds up all that comes after it.
 */
export async function empty(name: string): Promise<void> {
  // A frame that is removed does not go as a page does, and may be missed.
  const checkpointer = await openCheckpointer({ name, onWarning: () => {} })
  const ids: string[] = []
  for await (const { id } of checkpointer.threads()) ids.push(id)
  for (const id of ids) await checkpointer.thread(id).delete()
  await checkpointer.close()
}
