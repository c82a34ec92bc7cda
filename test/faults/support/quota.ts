import type { Page } from 'playwright-core'

/** What of Chromium's protocol decides over a site's room. */
export interface SiteRoom {
  /** No more than this from now on, in bytes. */
  limit(quotaSize: number): Promise<void>
  /** As much as the disk has. */
  lift(): Promise<void>
  /** Takes away what the site has, of these kinds: all databases, unless it is said otherwise. */
  evict(storageTypes?: string): Promise<void>
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
    evict: async (storageTypes = 'indexeddb') =>
      void (await session.send('Storage.clearDataForOrigin', { origin, storageTypes })),
    used: async () => (await session.send('Storage.getUsageAndQuota', { origin })).usage,
  }
}
