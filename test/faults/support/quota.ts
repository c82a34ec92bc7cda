import type { Page } from 'playwright-core'

/** What of Chromium's protocol decides over a site's room. */
export interface SiteRoom {
  /** No more than this from now on, in bytes. */
  limit(quotaSize: number): Promise<void>
  /** As much as the disk has. */
  lift(): Promise<void>
  /** Takes all databases away, as the browser does when it needs the room. */
  evict(): Promise<void>
  /** What the site takes, in bytes. */
  used(): Promise<number>
}

export async function roomOf(page: Page): Promise<SiteRoom> {
  const session = await page.context().newCDPSession(page)
  const { origin } = new URL(page.url())
  return {
    limit: async (quotaSize) =>
      void (await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize })),
    lift: async () => void (await session.send('Storage.overrideQuotaForOrigin', { origin })),
    evict: async () =>
      void (await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'indexeddb' })),
    used: async () => (await session.send('Storage.getUsageAndQuota', { origin })).usage,
  }
}
