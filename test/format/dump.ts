import type { Storage } from '../../src/storage/storage.ts'
import { rowsOf } from '../faults/support/rows.ts'

/** All rows of a storage, a JSON text a line, in order: what reader.py reads, and what a fixture is. */
export async function dump(storage: Storage): Promise<string> {
  const rows = await rowsOf(storage)
  return rows
    .map(({ partition, table, key, head, body }) =>
      JSON.stringify({ partition, table, key, head, ...(body ? { body: toBase64(body) } : {}) }),
    )
    .join('\n')
}

const toBase64 = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
