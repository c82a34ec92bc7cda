import { runtimeHere, type Runtime, type Sender } from './runtime.ts'

/** Whether it is a page of this extension, and not a script of it within a page of the web. */
export function isExtensionPage(sender: Sender, runtime: Runtime | undefined = runtimeHere()): boolean {
  if (!runtime || sender.id !== runtime.id) return false
  const own = originOf(runtime.getURL(''))
  const from = sender.origin ?? originOf(sender.url)
  return from === own && (sender.url === undefined || originOf(sender.url) === own)
}

/** `URL` gives none for schemes that it does not know. */
export function originOf(url: string | undefined): string | undefined {
  const [origin] = /^[a-z-]+:\/\/[^/]+/.exec(url ?? '') ?? []
  return origin
}
