import { createHash } from 'node:crypto'
import { CheckpointerError, type Problem } from '../../src/index.ts'
import { onlyReads, VERBS, type Verb } from '../../src/operations/verbs.ts'
import { memoryStorage, type MemoryStorageOptions } from '../../src/storage/memory.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { all, lasting, open, prepared, type Opened } from './support/call-ground.ts'
import { CALLS, type Call, type Ready } from './support/every-call.ts'
import { FAULTS, faultyStorage, type Fault } from './support/faulty-storage.ts'
import { broken, type Proof } from './support/proof.ts'

/** With small limits one call needs many commits, and payloads are in parts. */
const STORAGES: Record<string, MemoryStorageOptions> = {
  memory: {},
  'small limits': { limits: { valueBytes: 60_000, commitBytes: 200_000, operations: 40 } },
}
const ENOUGH_FOR_ALL = 30
const MANY_OPERATIONS = 60
const SOME_OPERATIONS = 12
/** More operations than any call here makes; that each stays below is checked. */
const MOST_OPERATIONS = 400

/** Each storage operation of each call goes wrong in each way; what is there afterwards is the old or the new. */
export default {
  promise: 'when any one operation of the storage goes wrong, a call of any verb has happened or it has not',
  rounds: { short: 5, long: 30 },
  on: ['node'],
  async run({ rounds: length }) {
    const sums = { calls: 0, verbs: 0, faults: 0, rejected: 0, tookEffect: 0 }
    const called = new Set<Verb>()
    for (const options of Object.values(STORAGES)) {
      for (const [name, call] of Object.entries(CALLS)) {
        sums.calls++
        const fresh = (): Promise<Store> => storeFor(call, options, length)
        const expected = await withoutFault(call, fresh, (verb) => called.add(verb))
        judgeWithoutFault(name, expected)
        // In the short form some of very many operations go wrong, others in each way, and on the first storage.
        const isShort = expected.operations > MANY_OPERATIONS && length < ENOUGH_FOR_ALL
        if (isShort && options !== STORAGES['memory']) continue
        const step = isShort ? Math.ceil(expected.operations / SOME_OPERATIONS) : 1
        for (const [i, fault] of FAULTS.entries()) {
          for (let at = 1 + Math.floor((i * step) / FAULTS.length); ; at += step) {
            if (at > MOST_OPERATIONS) throw broken('too many operations', { name })
            const result = await withFault(call, await fresh(), fault, at)
            if (!result.reached) break
            sums.faults++
            judge({ name, fault, at }, call, result, expected)
            if (result.error) sums.rejected++
            if (result.found === expected.after.found) sums.tookEffect++
          }
        }
      }
    }
    const missed = VERBS.filter((verb) => !onlyReads(verb) && !called.has(verb))
    if (missed.length > 0) throw broken('verbs that change something, and are not tried', missed)
    sums.verbs = called.size
    return sums
  },
} satisfies Proof

/** A store that stands ready for a call. */
interface Store extends Ready {
  readonly storage: Storage
}

async function storeFor({ ready }: Call, options: MemoryStorageOptions, length: number): Promise<Store> {
  const storage = lasting(memoryStorage(options))
  await prepared(storage, length)
  return { storage, ...(await ready(storage)) }
}

/** What there is, as far as it can be seen from outside. */
interface Found {
  readonly found: string
  readonly problems: readonly Problem[]
}

/** What there may be after a call. */
interface Expected {
  readonly before: Found
  readonly after: Found
  /** How many of the storage it takes. */
  readonly operations: number
  /** Of a call that does one thing after the other. */
  readonly between: readonly string[]
}

interface Result extends Found {
  readonly reached: boolean
  /** What there is when the same was called again. */
  readonly again?: Found
  /** What the call was rejected with. */
  readonly error?: CheckpointerError
}

function judgeWithoutFault(name: string, { before, after }: Expected): void {
  const shown = ({ problems }: Found): string =>
    JSON.stringify(problems.map(({ kind, table, thread, seq }) => `${kind} ${table} ${thread} ${seq}`).sort())
  if (after.problems.length > 0 && shown(after) !== shown(before))
    throw broken('leaves problems', { name, after })
}

function judge(
  about: { name: string; fault: Fault; at: number },
  { goesOn, isKept }: Call,
  { found, problems, again, error }: Result,
  { before, after, between }: Expected,
): void {
  const isPart = between.includes(found)
  if (!goesOn && !isPart && found !== before.found && found !== after.found)
    throw broken('neither before nor after', { ...about, found, before, after })
  if (problems.length > 0 && before.problems.length === 0)
    throw broken('verify is not clean', { ...about, problems })
  if (again && (again.found !== after.found || again.problems.length > after.problems.length))
    throw broken('does not come to its end when it is called again', { ...about, again, after })
  if (error === undefined && !isPart && found !== after.found) throw broken('resolved without effect', about)
  if (error?.outcome === 'none' && found !== before.found && !goesOn && !isKept)
    throw broken('said to have changed nothing', about)
}

async function withoutFault(
  { stages = [], open: opening }: Call,
  fresh: () => Promise<Store>,
  called: (verb: Verb) => void,
): Promise<Expected> {
  let operations = 0
  const made = async (run: (store: Store, opened: Opened) => Promise<unknown>): Promise<Found> => {
    const store = await fresh()
    const counted = faultyStorage(store.storage, 'fails', Number.POSITIVE_INFINITY)
    const opened = await open(counted.storage, opening, called)
    await run(store, opened)
    await opened.checkpointer.close()
    operations = counted.count()
    return lookInto(store)
  }
  const between: string[] = []
  for (const stage of stages) between.push((await made((_, opened) => stage(opened))).found)
  const before = await lookInto(await fresh())
  const after = await made((store, opened) => store.run(opened))
  return { before, after, operations, between }
}

async function withFault(call: Call, store: Store, fault: Fault, at: number): Promise<Result> {
  const faulty = faultyStorage(store.storage, fault, at)
  let error: CheckpointerError | undefined
  try {
    const opened = await open(faulty.storage, call.open)
    try {
      await store.run(opened)
    } finally {
      await opened.checkpointer.close().catch(() => {})
    }
  } catch (reason) {
    if (!CheckpointerError.is(reason)) throw reason
    error = reason
  }
  const found = await lookInto(store)
  const reached = faulty.count() >= at
  const told = error === undefined ? {} : { error }
  if (!call.goesOn || !reached) return { reached, ...found, ...told }
  const opened = await open(store.storage, call.open)
  await store.run(opened)
  await opened.checkpointer.close()
  return { reached, ...found, again: await lookInto(store), ...told }
}

async function lookInto({ storage, others = [] }: Store): Promise<Found> {
  const all = [await lookIntoOne(storage)]
  for (const other of others) all.push(await lookIntoOne(other))
  return {
    found: JSON.stringify(all.map(({ found }) => found)),
    problems: all.flatMap(({ problems }) => problems),
  }
}

const digest = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('hex')
    .slice(0, 12)

/** All that can be seen from outside, but ids and times, as text; and what `verify` says. */
async function lookIntoOne(storage: Storage): Promise<{ found: unknown[]; problems: readonly Problem[] }> {
  const { checkpointer, host } = await open(storage)
  const found: unknown[] = []
  const ids = (await all(checkpointer.threads())).map(({ id, forkOf }) => [id, forkOf?.seq] as const)
  for (const [id, forkedAt] of ids.sort(([a], [b]) => (a < b ? -1 : 1))) {
    const isLeased = (await host.leaseSign({ thread: id })) !== undefined
    for (const namespace of ['', 'sub', 'new']) {
      const thread = checkpointer.thread(id, { namespace })
      const heads = (await thread.heads()).map(({ seq }) => seq)
      found.push([id, forkedAt, isLeased, namespace, heads])
      try {
        for await (const { seq, state, step, label } of thread.history({ states: true })) {
          const writes = (await thread.load(seq))?.pendingWrites.map(({ taskId, index, value }) => [
            taskId,
            index,
            value,
          ])
          found.push([seq, step, label, digest(state), digest(writes)])
        }
      } catch (error) {
        if (!CheckpointerError.is(error, 'CORRUPT')) throw error
        found.push([error.code, error.seq])
      }
    }
  }
  const { problems } = await checkpointer.verify()
  await checkpointer.close()
  // A loss is what was told, and no fault of what is there.
  const isLoss = ({ kind }: Problem): boolean => kind === 'loss'
  found.push(...problems.filter(isLoss))
  return { found, problems: problems.filter((problem) => !isLoss(problem)) }
}
