/** What a key of Deno KV is made of here; there are other kinds. */
export type KvKey = readonly (string | number | Uint8Array)[]

export interface KvEntry {
  readonly key: readonly unknown[]
  readonly value: unknown
  /** Ascends with every commit to the database; null where there is no entry. */
  readonly versionstamp: string | null
}

interface KvAtomic {
  check(...checks: readonly { readonly key: KvKey; readonly versionstamp: string | null }[]): KvAtomic
  set(key: KvKey, value: unknown): KvAtomic
  delete(key: KvKey): KvAtomic
  commit(): Promise<{ readonly ok: boolean; readonly versionstamp?: string }>
}

/** Of `Deno.Kv`, what is used. */
export interface DenoKv {
  get(key: KvKey): Promise<KvEntry>
  /** At most ten, which are seen as at one moment. */
  getMany(keys: readonly KvKey[]): Promise<readonly KvEntry[]>
  list(
    range: { readonly start: KvKey; readonly end: KvKey },
    options?: { readonly limit?: number; readonly reverse?: boolean; readonly batchSize?: number },
  ): AsyncIterable<KvEntry>
  atomic(): KvAtomic
}

const MOST_AT_ONCE = 10

/** Any number of entries, in the order asked for; ten of them at a time are as at one moment. */
export async function getAll(kv: DenoKv, keys: readonly KvKey[]): Promise<readonly KvEntry[]> {
  const pages: Promise<readonly KvEntry[]>[] = []
  for (let at = 0; at < keys.length; at += MOST_AT_ONCE)
    pages.push(kv.getMany(keys.slice(at, at + MOST_AT_ONCE)))
  return (await Promise.all(pages)).flat()
}
