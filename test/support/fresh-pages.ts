import { openCheckpointer } from 'forkpoint'
import { onTestFinished } from 'vitest'

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
  const load = (about: unknown, after = 0): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const id = `page-${Math.random().toString(36).slice(2)}`
      const channel = new BroadcastChannel(id)
      channel.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
        channel.close()
        if (data.error === undefined) resolve(data.told)
        else reject(new Error(data.error))
      })
      // An address of its own, as pages have: from `about:srcdoc` no worker can be started.
      frame.src = `${BLANK.href}?${id}&answered_after=${after}`
      frame.addEventListener('load', () => run(frame.contentDocument, { script, about, id }), { once: true })
    })
  const look = (): unknown => structuredClone((frame.contentWindow as Looked | null)?.look?.())
  return { load, look }
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
