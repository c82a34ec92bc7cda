/** What is used of a service worker's scope: the types of pages and of workers do not go together. */
export interface ServiceWorkerScope {
  readonly clients: { claim(): Promise<void> }
  readonly registration: { readonly scope: string }
  addEventListener(type: 'install' | 'activate', listener: (event: LastingEvent) => void): void
  addEventListener(type: 'fetch', listener: (event: FetchingEvent) => void): void
}

interface LastingEvent extends Event {
  waitUntil(work: Promise<unknown>): void
}

export interface FetchingEvent extends LastingEvent {
  readonly request: Request
  respondWith(response: Promise<Response> | Response): void
}
