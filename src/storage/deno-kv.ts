import { checkGiven } from './adapter/given.ts'
import type { DenoKv } from './deno-kv/kv.ts'
import { KvStorage } from './deno-kv/kv-storage.ts'
import type { Storage } from './storage.ts'

export type { DenoKv, KvEntry, KvKey } from './deno-kv/kv.ts'

export interface DenoKvStorageOptions {
  /** The first part of every key, so that others can use the same database. `forkpoint` unless given. */
  readonly prefix?: string
}

/** Keeps everything in Deno KV: `denoKvStorage(await Deno.openKv())`. It is the caller's, and stays open. */
export function denoKvStorage(kv: DenoKv, { prefix = 'forkpoint' }: DenoKvStorageOptions = {}): Storage {
  checkGiven('denoKvStorage', kv, ['get', 'list', 'atomic'], 'a Deno.Kv, such as await Deno.openKv()')
  return new KvStorage(kv, prefix)
}
