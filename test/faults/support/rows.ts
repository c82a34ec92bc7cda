import { TABLES, type Put, type Row, type Storage, type Table } from '../../../src/storage/storage.ts'
import { escapeId } from '../../../src/storage/keys.ts'

export interface StoredRow extends Row {
  readonly partition: string
  readonly table: Table
}

/** All rows of a storage, in order. */
export async function rowsOf(storage: Storage): Promise<StoredRow[]> {
  const found: StoredRow[] = []
  for (const partition of await storage.partitions({ limit: 1000 }))
    for (const table of TABLES) {
      const [rows = []] = await storage.read(partition, [{ table, from: [], to: ['\uffff'] }])
      found.push(...rows.map((row) => ({ ...row, partition, table })))
    }
  return found
}

export const factsOf = ({ head }: Row): Record<string, unknown> =>
  JSON.parse(head.slice(head.indexOf('{'))) as Record<string, unknown>

/** The row as it is put, with what the storage finds it by. */
export function putOf(row: StoredRow): Put {
  const { table, key, head, body } = row
  const facts = factsOf(row)
  return {
    table,
    key,
    head,
    ...(body ? { body } : {}),
    ...(table === 'checkpoints' ? { alias: [key[0] as string, escapeId(facts['id'] as string)] } : {}),
    ...(table === 'threads' && key[1] === '' ? { rank: facts['updatedAt'] as number } : {}),
  }
}
