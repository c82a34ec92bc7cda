import { Store } from '../threads/store.ts'

/** Everything is kept here: it works without a network from now on, a reload included. */
export const readyOffline = new Store(false)

/** Only of what was built: while it is being worked on, nothing should be kept. */
export function registerOffline(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  navigator.serviceWorker.register('./sw.js', { scope: './' }).then(
    async () => {
      await navigator.serviceWorker.ready
      readyOffline.set(true)
    },
    // In private windows, say. It works all the same, with a network.
    (error: unknown) => console.info('Not available offline:', error),
  )
}
