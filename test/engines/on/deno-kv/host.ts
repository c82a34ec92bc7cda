import { join } from 'node:path'
import { denoKvStorage, type DenoKv } from '../../../../src/storage/deno-kv.ts'
import { given, host } from '../../support/host.ts'

declare const Deno: { openKv(path: string): Promise<DenoKv> }

/** One database a process, over which every connection to it is a storage. */
const opened = new Map<string, Promise<DenoKv>>()

host(async (name) => {
  const kv = opened.get(name) ?? Deno.openKv(join(given, `${name}.kv`))
  opened.set(name, kv)
  return denoKvStorage(await kv)
})
