import type { Act } from '../../checkpoint.ts'
import type { RepairReply, RepairRequest } from '../host.ts'
import { ThreadCache, type Store } from '../store/store.ts'
import { identityOf, problemOf, type Finding } from '../verify/finding.ts'
import { findingsIn } from '../verify/verify.ts'
import { inTheWay } from './in-the-way.ts'
import { menderOf, type Mender } from './menders.ts'
import { overlay } from './overlay.ts'

/** One call goes on for so long: then its caller may show progress, or stop. */
const A_CALL_MS = 50
/** Each round mends one kind of thing, and looks again. More than this are never needed unless nothing helps. */
const MOST_ROUNDS = 24
const MOST_TRIES = 3

/** Mends the next partitions, or says what it would do: by doing it to a copy in memory. */
export async function repair(given: Store, { after, isPlan }: RepairRequest): Promise<RepairReply> {
  const store = isPlan ? planned(given, after === undefined) : given
  const until = performance.now() + A_CALL_MS
  const problems: Finding[] = []
  const acts: Act[] = []
  let checked = 0
  let last = after
  do {
    const [partition] = await store.storage.partitions({
      limit: 1,
      ...(last === undefined ? {} : { after: last }),
    })
    if (partition === undefined) {
      plans.delete(given)
      return { checked, problems: problems.map(problemOf), acts }
    }
    const found = await findingsIn(store, partition)
    checked += found.checked
    for (const other of await inTheWay(store, found.findings)) {
      problems.push(...(await findingsIn(store, other)).findings)
      acts.push(...(await mend(store, other)))
    }
    problems.push(...found.findings)
    if (found.findings.length > 0) acts.push(...(await mend(store, partition)))
    last = partition
  } while (performance.now() < until)
  return { checked, problems: problems.map(problemOf), acts, next: last }
}

/** What a plan would have done so far: what it comes to next may depend on that. */
const plans = new WeakMap<Store, Store>()

function planned(store: Store, isNew: boolean): Store {
  const before = isNew ? undefined : plans.get(store)
  const plan = before ?? {
    ...store,
    storage: overlay(store.storage),
    threads: new ThreadCache(),
    publish: () => {},
  }
  plans.set(store, plan)
  return plan
}

/** Round by round, as what is set aside changes what else is wrong. */
async function mend(store: Store, partition: string): Promise<Act[]> {
  const acts: Act[] = []
  const tries = new Map<string, number>()
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const { findings } = await findingsIn(store, partition)
    const open = findings.flatMap((finding): Open[] => {
      const mender = menderOf(finding)
      return mender && (tries.get(nameOf(finding)) ?? 0) < MOST_TRIES ? [{ finding, mender }] : []
    })
    if (open.length === 0) return acts
    const stage = Math.min(...open.map(({ mender }) => mender.stage))
    for (const group of groups(open.filter(({ mender }) => mender.stage === stage))) {
      const [{ finding, mender }] = group
      const outcome = await mender.mend(store)
      if (outcome === 'done') acts.push(...group.map(actOf))
      const tried = (tries.get(nameOf(finding)) ?? 0) + 1
      const isOver = outcome === 'left' || tried === MOST_TRIES
      if (isOver && outcome !== 'done')
        acts.push(...group.map((each) => ({ ...actOf(each), act: 'left' as const })))
      for (const each of group) tries.set(nameOf(each.finding), isOver ? MOST_TRIES : tried)
    }
  }
  return acts
}

interface Open {
  readonly finding: Finding
  readonly mender: Mender
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
