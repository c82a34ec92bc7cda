import type { DenoKv, KvKey } from './kv.ts'

/** What the engine takes in one commit, a little less: 1,000 changes, and 80 KiB of keys. */
const MOST_CHANGES = 900
const MOST_KEY_BYTES = 78_000

/** Collects what one commit of the engine is to check and to change. */
export class Changes {
  readonly #checks: { readonly key: KvKey; readonly versionstamp: string | null }[] = []
  readonly #deletes: KvKey[] = []
  readonly #sets: (readonly [KvKey, unknown])[] = []
  #keyBytes = 0

  check(key: KvKey, versionstamp: string | null): this {
    this.#checks.push({ key, versionstamp })
    return this.#counted(key)
  }

  delete(...keys: readonly KvKey[]): this {
    this.#deletes.push(...keys)
    for (const key of keys) this.#counted(key)
    return this
  }

  set(key: KvKey, value: unknown): this {
    this.#sets.push([key, value])
    return this.#counted(key)
  }

  #counted(key: KvKey): this {
    for (const part of key) this.#keyBytes += typeof part === 'number' ? 9 : part.length + 2
    return this
  }

  /** Whether a commit takes all of it, and some deletions more if need be. */
  fits(more: readonly KvKey[] = []): boolean {
    const others = new Changes().delete(...more)
    const count = this.#deletes.length + this.#sets.length + more.length
    return count <= MOST_CHANGES && this.#keyBytes + others.#keyBytes <= MOST_KEY_BYTES
  }

  /** Deletes first, whatever was said first. The stamp of what was set; nothing when a check has failed. */
  async commit(kv: DenoKv): Promise<string | undefined> {
    const atomic = kv.atomic().check(...this.#checks)
    for (const key of this.#deletes) atomic.delete(key)
    for (const [key, value] of this.#sets) atomic.set(key, value)
    const { ok, versionstamp } = await atomic.commit()
    return ok ? versionstamp : undefined
  }
}
