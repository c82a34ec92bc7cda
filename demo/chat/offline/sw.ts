/** Keeps all files of the page when it is installed, and gives them from there: also to the first reload. */
import type { FetchingEvent, ServiceWorkerScope } from './scope.ts'

/** The build puts it there: every file that it has made, and a name for all of them as they are. */
declare const PRECACHE: { readonly version: string; readonly files: readonly string[] }

const scope = globalThis as unknown as ServiceWorkerScope
const PREFIX = 'forkpoint-chat:'
const { version, files } = PRECACHE
const NAME = PREFIX + version

scope.addEventListener('install', (event) => event.waitUntil(keepAll()))
scope.addEventListener('activate', (event) => event.waitUntil(takeOver()))
scope.addEventListener('fetch', (event) => {
  const { method, mode, url } = event.request
  const isOurs = url.startsWith(scope.registration.scope)
  if (method === 'GET' && isOurs) event.respondWith(mode === 'navigate' ? page(event) : file(event))
})

/** All or nothing: without one of them it would not work. */
async function keepAll(): Promise<void> {
  const cache = await caches.open(NAME)
  await cache.addAll(files.map((path) => new Request(path, { cache: 'reload' })))
}

async function takeOver(): Promise<void> {
  for (const name of await caches.keys())
    if (name.startsWith(PREFIX) && name !== NAME) await caches.delete(name)
  await scope.clients.claim()
}

async function page({ request }: FetchingEvent): Promise<Response> {
  const { origin, pathname } = new URL(request.url)
  const isRoot = origin + pathname === scope.registration.scope || pathname.endsWith('/index.html')
  return (isRoot ? await kept('./') : undefined) ?? fetch(request)
}

const file = async ({ request }: FetchingEvent): Promise<Response> => (await kept(request)) ?? fetch(request)

async function kept(request: Request | string): Promise<Response | undefined> {
  return (await caches.open(NAME)).match(request, { ignoreSearch: true, ignoreVary: true })
}
