import { CheckpointerError } from '../../errors.ts'
import { newQuarantineKey } from '../../storage/keys.ts'
import type { Batch, Put, Row, Table } from '../../storage/storage.ts'
import { renewFamily, type Family } from '../store/family.ts'
import type { QuarantineFacts } from '../rows/meta-row.ts'
import { seal } from '../rows/seal.ts'
import type { Store } from '../store/store.ts'

/** Sets a row aside: what it held can still be looked at, and stands in nobody's way. */
export function setAside(
  partition: string,
  table: Table,
  row: Row,
  why: string,
): Required<Pick<Batch, 'checks' | 'puts' | 'deletes'>> {
  const key = newQuarantineKey()
  const facts: QuarantineFacts = { table, key: row.key, head: String(row.head), at: Date.now(), why }
  const body = row.body instanceof Uint8Array ? row.body : undefined
  const put: Put = {
    table: 'meta',
    key,
    head: seal(partition, 'meta', key, facts, body),
    ...(body ? { body } : {}),
  }
  return {
    checks: [{ table, key: row.key, version: row.version }],
    puts: [put],
    deletes: [{ table, key: row.key }],
  }
}

/** How a commit of a repair ended: `again` when somebody else was first, `left` when the storage cannot take it. */
export type Outcome = 'done' | 'again' | 'left'

/** Everything a repair changes, it changes under the family's guard, like every removal. */
export async function commitGuarded(
  store: Store,
  family: Family,
  batches: readonly Batch[],
  sweep = family.sweep,
): Promise<Outcome> {
  const renewed = renewFamily(family.partition, family, sweep)
  try {
    const { ok } = await store.storage.commit(family.partition, {
      checks: [...batches.flatMap(({ checks = [] }) => checks), renewed.check],
      puts: [...batches.flatMap(({ puts = [] }) => puts), renewed.put],
      deletes: batches.flatMap(({ deletes = [] }) => deletes),
    })
    return ok ? 'done' : 'again'
  } catch (error) {
    if (CheckpointerError.is(error, 'TOO_LARGE')) return 'left'
    throw error
  } finally {
    for (const { facts } of family.threads) store.threads.forget(facts.thread)
  }
}
