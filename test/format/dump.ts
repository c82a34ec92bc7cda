import type { Storage } from '../../src/storage/storage.ts'
import { putOf, rowsOf, type StoredRow } from '../faults/support/rows.ts'

/** All rows of a storage, a JSON text a line, in order: what reader.py reads, and what a fixture is. */
export async function dump(storage: Storage): Promise<string> {
  const rows = await rowsOf(storage)
  return rows
    .map(({ partition, table, key, head, body }) =>
      JSON.stringify({ partition, table, key, head, ...(body ? { body: toBase64(body) } : {}) }),
    )
    .join('\n')
}

/** The other way round, into an empty storage. */
export async function restore(storage: Storage, lines: string): Promise<void> {
  const rows = lines.split('\n').map((line) => JSON.parse(line) as StoredRow & { readonly body?: unknown })
  for (const partition of new Set(rows.map((row) => row.partition)))
    await storage.commit(partition, {
      puts: rows
        .filter((row) => row.partition === partition)
        .map(({ body, ...row }) =>
          putOf(typeof body === 'string' ? { ...row, body: fromBase64(body) } : row),
        ),
    })
}

const toBase64 = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))

const fromBase64 = (text: string): Uint8Array => Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
