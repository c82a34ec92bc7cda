import { birthKey, checkpointAlias, FAMILY_KEY, seqRange } from '../../storage/keys.ts'
import { compareKeys, type Row } from '../../storage/storage.ts'
import { sweep } from '../removal/write/sweep.ts'
import { birthPut } from '../rows/birth-row.ts'
import { openCheckpoint } from '../rows/checkpoint-row.ts'
import type { Store } from '../store/store.ts'
import type { Finding } from '../verify/finding.ts'
import { look } from '../verify/look.ts'
import { reachOf } from '../verify/reach.ts'
import type { Act } from '../../checkpoint.ts'
import { mendClaims, mendLostThread, mendRoot, mendThreadRow, rescue, rescuedName } from './mend-threads.ts'
import { commitGuarded, setAside, type Outcome } from './quarantine.ts'
import { takeOut, without } from './take-out.ts'

/** One way to mend: when its turn is, what it does, and how that is told. */
export interface Mender {
  /** Those of a lower one go first, as the others are judged anew after them. */
  readonly stage: number
  readonly act: Act['act']
  readonly what: string
  readonly mend: (store: Store) => Promise<Outcome>
}

/** How something is mended; nothing for what only another version can judge. */
export function menderOf(finding: Finding): Mender | undefined {
  const { kind, table, partition, row, gap, problem } = finding
  if (kind === 'damaged' && row) return menderOfDamaged(finding, row)
  if (kind === 'unreadable' && row)
    return aside(4, `${problem} It was set aside.`, (store) => takeOut(store, partition, table, row, problem))
  if (kind === 'loss' && row)
    return {
      stage: 0,
      act: 'accepted',
      what: 'The loss was acknowledged, and is no longer told.',
      mend: (store) => takeOut(store, partition, table, row, problem),
    }
  if (kind === 'missing' && gap)
    return {
      stage: 5,
      act: 'accepted',
      what: `${problem} It is no longer looked for.`,
      mend: (store) => accept(store, finding, gap),
    }
  if (kind === 'missing' && table === 'writes')
    return {
      stage: 7,
      act: 'accepted',
      what: `${problem} Those are counted anew.`,
      mend: (store) => mendClaims(store, finding),
    }
  if (kind === 'missing' && table === 'threads' && row)
    return rebuiltBy(
      2,
      'It was made again from its checkpoints; what it had hidden may show again.',
      (store) => mendLostThread(store, partition, String(row.key[1])),
    )
  if (kind === 'missing')
    return rebuiltBy(1, 'The row that guards who shows what was made again.', (store) =>
      renew(store, partition),
    )
  if (kind === 'head' || kind === 'thread')
    return rebuiltBy(5, `${problem} It was made again from the checkpoints.`, (store) =>
      mendClaims(store, finding),
    )
  if (kind === 'index')
    return rebuiltBy(5, `${problem} It was put into the index again.`, (store) =>
      table === 'checkpoints' && row ? putAgain(store, partition, row) : mendClaims(store, finding),
    )
  return kind === 'orphaned' ? menderOfOrphan(finding) : undefined
}

const aside = (stage: number, what: string, mend: Mender['mend']): Mender => ({
  stage,
  act: 'quarantined',
  what,
  mend,
})
const rebuiltBy = (stage: number, what: string, mend: Mender['mend']): Mender => ({
  stage,
  act: 'rebuilt',
  what,
  mend,
})

function menderOfDamaged({ table, partition, problem }: Finding, row: Row): Mender {
  if (table === 'threads')
    return aside(1, `${problem} It was set aside, and made again if its lane was known.`, (store) =>
      mendThreadRow(store, partition, row, problem),
    )
  if (table === 'meta')
    return aside(0, `${problem} It was set aside.`, (store) => mendMeta(store, partition, row, problem))
  return aside(1, `${problem} It was set aside.`, (store) => takeOut(store, partition, table, row, problem))
}

function menderOfOrphan(finding: Finding): Mender | undefined {
  const { table, partition, row, problem, thread, isLeftOver } = finding
  if (table === 'threads' && thread !== undefined)
    return rebuiltBy(3, `${problem} It was given one.`, (store) => mendRoot(store, partition, thread))
  if (!row) return undefined
  const lane = String(row.key[0])
  if (table === 'checkpoints' && isLeftOver)
    return {
      stage: 6,
      act: 'deleted',
      what: `${problem} Its thread has removed it.`,
      mend: (store) => sweepLane(store, partition, lane),
    }
  if (table === 'checkpoints')
    return {
      stage: 3,
      act: 'rescued',
      what: `${problem} It is now in '${rescuedName(lane)}'.`,
      mend: (store) => rescueLane(store, partition, lane),
    }
  if (isLeftOver)
    return { stage: 6, act: 'deleted', what: problem, mend: (store) => drop(store, finding, row) }
  return aside(6, `${problem} It was set aside.`, (store) => takeOut(store, partition, table, row, problem))
}

async function mendMeta(store: Store, partition: string, row: Row, why: string): Promise<Outcome> {
  const { family, rows } = await look(store, partition, [{ table: 'meta', keys: [row.key] }])
  if (rows[0]?.[0]?.version !== row.version) return 'again'
  const { checks, puts, deletes } = setAside(partition, 'meta', row, why)
  // The commit renews the family's row by itself.
  if (compareKeys(row.key, FAMILY_KEY) === 0) return commitGuarded(store, family, [{ puts }])
  const owner = family.threads.find(({ facts }) => compareKeys(birthKey(facts.lane), row.key) === 0)
  const born = owner ? [birthPut(partition, owner.facts)] : []
  return commitGuarded(store, family, [{ checks, deletes: owner ? [] : deletes, puts: [...puts, ...born] }])
}

async function renew(store: Store, partition: string): Promise<Outcome> {
  const { family } = await look(store, partition, [])
  return commitGuarded(store, family, [])
}

async function accept(
  store: Store,
  { partition, thread, namespace }: Finding,
  { lane, from, to }: NonNullable<Finding['gap']>,
): Promise<Outcome> {
  const { family } = await look(store, partition, [])
  const row = family.threads.find(({ facts }) => facts.thread === thread && facts.namespace === namespace)
  return row ? commitGuarded(store, family, [without(row, lane, from, to)]) : 'again'
}

async function putAgain(store: Store, partition: string, row: Row): Promise<Outcome> {
  const { family } = await look(store, partition, [])
  const { lane, facts } = openCheckpoint(partition, row)
  const { key, head, body, version } = row
  const put = { table: 'checkpoints', key, head, alias: checkpointAlias(lane, facts.id) } as const
  return commitGuarded(store, family, [
    { checks: [{ table: 'checkpoints', key, version }], puts: [{ ...put, ...(body ? { body } : {}) }] },
  ])
}

async function rescueLane(store: Store, partition: string, lane: string): Promise<Outcome> {
  const first = { table: 'checkpoints', ...seqRange(lane, 0, Number.MAX_SAFE_INTEGER - 1), limit: 1 } as const
  const { family, rows } = await look(store, partition, [first])
  const row = rows[0]?.[0]
  // The first of its rows has taken all others along.
  if (!row || family.threads.some(({ facts }) => facts.lane === lane)) return 'done'
  const lowest = openCheckpoint(partition, row)
  const segments = await reachOf(store, family, lane, lowest)
  return rescue(store, family, lane, { createdAt: lowest.facts.createdAt, segments, label: 'rescued' })
}

/** What a removal that was cut off has left: it is taken up again. */
async function sweepLane(store: Store, partition: string, lane: string): Promise<Outcome> {
  const { family } = await look(store, partition, [])
  const outcome = await commitGuarded(store, family, [], [...new Set([...family.sweep, lane])])
  if (outcome === 'done') await sweep(store, partition)
  return outcome
}

async function drop(store: Store, { partition, table }: Finding, { key, version }: Row): Promise<Outcome> {
  const { family } = await look(store, partition, [])
  return commitGuarded(store, family, [{ checks: [{ table, key, version }], deletes: [{ table, key }] }])
}
