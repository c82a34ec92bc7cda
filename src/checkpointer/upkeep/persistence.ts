/** Whether the browser keeps this site's data when it makes room: `unsupported` where it cannot be asked. */
export type Persistence = 'granted' | 'refused' | 'unsupported'

/** Asks the browser not to evict this site's data, and says what came of it. */
export async function askToPersist(): Promise<Persistence> {
  const manager = storageManager()
  if (await isExempt()) return 'granted'
  // Some windows have the method, and are refused all that it stands for: sandboxed frames, for one.
  const granted = await manager?.persist?.().catch(() => undefined)
  if (granted) return 'granted'
  // A worker cannot ask. Nor can an extension: the answer is always no, and only its manifest changes that.
  if (granted === undefined || extension()) return (await isPersisted()) ? 'granted' : 'unsupported'
  return 'refused'
}

/** Whether the browser has promised to keep this site's data, if it says so. */
export async function isPersisted(): Promise<boolean | undefined> {
  if (await isExempt()) return true
  return storageManager()
    ?.persisted?.()
    .catch(() => undefined)
}

/** What the browser would allow the whole site, if it says anything. */
export async function quotaHere(): Promise<number | undefined> {
  const { quota } =
    (await storageManager()
      ?.estimate?.()
      .catch(() => undefined)) ?? {}
  return quota
}

const storageManager = (): Partial<StorageManager> | undefined =>
  (globalThis.navigator as Partial<Navigator> | undefined)?.storage

/** Of an extension's own pages and workers; a content script has no permissions, and stores in its page's name. */
interface Extension {
  readonly permissions?: {
    contains(wanted: { readonly permissions: readonly string[] }): Promise<boolean>
  }
}

function extension(): Extension['permissions'] {
  const { browser, chrome } = globalThis as { browser?: Extension; chrome?: Extension }
  return browser?.permissions ?? chrome?.permissions
}

/** An extension with this permission is never evicted, whatever `persisted` says. */
async function isExempt(): Promise<boolean> {
  try {
    return (await extension()?.contains({ permissions: ['unlimitedStorage'] })) === true
  } catch {
    return false
  }
}
