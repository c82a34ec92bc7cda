import type { Act } from '../../checkpoint.ts'
import { CheckpointerError } from '../../errors.ts'
import type { Store } from '../store/store.ts'
import { identityOf, problemOf, type Finding, type Found } from '../verify/finding.ts'
import { findingsIn } from '../verify/verify.ts'
import { inTheWay } from './in-the-way.ts'
import { menderOf, type Mender } from './menders.ts'
import type { Outcome } from './quarantine.ts'

/** Each round mends one kind of thing, and looks again. More than this are never needed unless nothing helps. */
const MOST_ROUNDS = 24
const MOST_TRIES = 3

/** What a repair has come to, and what it does next. */
interface Step {
  readonly checked?: number
  /** What there was before. */
  readonly problems?: readonly Finding[]
  readonly acts?: readonly Act[]
  readonly next: 'look' | 'mend'
}

/** All partitions, one after the other. Nothing is changed but behind a step that has said `mend`. */
export async function* repairing(store: Store): AsyncGenerator<Step, undefined> {
  for (let last: string | undefined; ;) {
    const after = last === undefined ? {} : { after: last }
    const [partition] = await store.storage.partitions({ limit: 1, ...after })
    if (partition === undefined) return undefined
    const findings = yield* looking(store, partition)
    for (const other of await inTheWay(store, findings)) {
      yield* looking(store, other)
      yield* mending(store, other)
    }
    if (findings.length > 0) yield* mending(store, partition)
    last = partition
  }
}

async function* looking(
  store: Store,
  partition: string,
  told = ({ checked, findings }: Found): Omit<Step, 'next'> => ({ checked, problems: findings }),
): AsyncGenerator<Step, Finding[]> {
  const all: Finding[] = []
  for await (const found of findingsIn(store, partition)) {
    all.push(...found.findings)
    yield { ...told(found), next: 'look' }
  }
  return all
}

/** What has been told before. */
const nothing = (): Omit<Step, 'next'> => ({})

/** Round by round, as what is set aside changes what else is wrong. */
async function* mending(store: Store, partition: string): AsyncGenerator<Step, void> {
  const tries = new Map<string, number>()
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const findings = yield* looking(store, partition, nothing)
    const open = findings.flatMap((finding): Open[] => {
      const mender = menderOf(finding)
      return mender && (tries.get(nameOf(finding)) ?? 0) < MOST_TRIES ? [{ finding, mender }] : []
    })
    if (open.length === 0) return
    const stage = Math.min(...open.map(({ mender }) => mender.stage))
    const due = groups(open.filter(({ mender }) => mender.stage === stage))
    yield { next: 'mend' }
    for (const [i, group] of due.entries())
      yield { acts: await mend(store, group, tries), next: i + 1 < due.length ? 'mend' : 'look' }
  }
}

interface Open {
  readonly finding: Finding
  readonly mender: Mender
}

async function mend(
  store: Store,
  group: readonly [Open, ...Open[]],
  tries: Map<string, number>,
): Promise<Act[]> {
  const [{ finding, mender }] = group
  const outcome = await mender.mend(store).catch(leftIfNewer)
  const tried = (tries.get(nameOf(finding)) ?? 0) + 1
  const isOver = outcome === 'left' || tried === MOST_TRIES
  for (const each of group) tries.set(nameOf(each.finding), isOver ? MOST_TRIES : tried)
  if (outcome === 'done') return group.map(actOf)
  return isOver ? group.map((each) => ({ ...actOf(each), act: 'left' as const })) : []
}

/** It would need what only a later version can read. */
function leftIfNewer(error: unknown): Outcome {
  if (!CheckpointerError.is(error, 'FORMAT_TOO_NEW')) throw error
  return 'left'
}

/** What is wrong with one row is mended at once, for all threads that show it. */
function groups(open: readonly Open[]): [Open, ...Open[]][] {
  const found = new Map<string, [Open, ...Open[]]>()
  for (const each of open) {
    const { table, row, gap } = each.finding
    const name = row && !gap ? JSON.stringify([table, row.key]) : nameOf(each.finding)
    const group = found.get(name)
    if (group) group.push(each)
    else found.set(name, [each])
  }
  return [...found.values()]
}

/** The same trouble again, whatever has been written since. */
const nameOf = ({ row, ...finding }: Finding): string =>
  identityOf({ ...finding, ...(row ? { row: { ...row, version: '' } } : {}) })

function actOf({ finding, mender }: Open): Act {
  const { kind: _kind, problem: _problem, ...place } = problemOf(finding)
  return { ...place, act: mender.act, what: mender.what }
}
