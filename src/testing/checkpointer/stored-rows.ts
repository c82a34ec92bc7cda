import { seal } from '../../operations/rows/seal.ts'
import { escapeId } from '../../storage/keys.ts'
import type { Key, Put, Row, Storage, Table } from '../../storage/storage.ts'

export type Facts = Record<string, unknown>

const factsOf = ({ head }: Row): Facts => JSON.parse(head.slice(head.indexOf('{'))) as Facts

/** Of the family of the thread `a`. */
export const rowsIn = async (storage: Storage, table: Table): Promise<readonly Row[]> =>
  (await storage.read('a', [{ table, from: [], to: ['\x7e'] }])).flat()

export const factsIn = async (
  storage: Storage,
  table: Table,
  wanted: (row: Row) => boolean,
): Promise<Facts[]> => (await rowsIn(storage, table)).filter(wanted).map(factsOf)

/** Puts these rows again with other facts, and a sum that fits; or with a head of another number, which says nothing here. */
export async function change(
  storage: Storage,
  table: Table,
  wanted: (row: Row) => boolean,
  changed: (facts: Facts) => unknown,
  later = '',
): Promise<void> {
  for (const row of (await rowsIn(storage, table)).filter(wanted)) {
    const { key, body } = row
    const facts = changed(factsOf(row)) as object
    const head = later === '' ? seal('a', table, key, facts, body) : later + JSON.stringify(facts)
    await putHead(storage, table, row, head)
  }
}

/** Puts it again with another body, and a sum that fits. */
export async function putBody(storage: Storage, table: Table, row: Row, body: Uint8Array): Promise<void> {
  const { key } = row
  const head = seal('a', table, key, factsOf(row), body)
  const put: Put = { table, key, head, body, ...foundBy(table, key, factsOf(row)) }
  await storage.commit('a', { puts: [put] })
}

/** It is found by what it was found by. */
export async function putHead(storage: Storage, table: Table, row: Row, head: string): Promise<void> {
  const { key, body } = row
  const put: Put = { table, key, head, ...(body ? { body } : {}), ...foundBy(table, key, factsOf(row)) }
  await storage.commit('a', { puts: [put] })
}

function foundBy(table: Table, key: Key, facts: Facts): Pick<Put, 'alias' | 'rank'> {
  if (table === 'checkpoints') return { alias: [String(key[0]), escapeId(String(facts['id']))] }
  return table === 'threads' && key[1] === '' ? { rank: Number(facts['updatedAt']) } : {}
}
