import { CheckpointerError, openCheckpointer, type Checkpointer } from '../../src/index.ts'
import { memoryStorage, type MemoryStorageOptions } from '../../src/storage/memory.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { FAULTS, faultyStorage, type Fault } from './support/faulty-storage.ts'
import { broken, type Proof } from './support/proof.ts'

const NAME = 'every operation'
/** With small limits one call needs many commits, and payloads are in parts. */
const STORAGES: Record<string, MemoryStorageOptions> = {
  memory: {},
  'small limits': { limits: { valueBytes: 60_000, commitBytes: 200_000, operations: 40 } },
}
/** More operations than any call here makes; that each stays below is checked. */
const MOST_OPERATIONS = 400

/** Everything that changes or reads the store, each once. */
const CALLS: Record<string, (checkpointer: Checkpointer) => Promise<unknown>> = {
  save: (checkpointer) => checkpointer.thread('a').save(stateOf(99)),
  'a large save': (checkpointer) => checkpointer.thread('a').save({ large: 'x'.repeat(150_000) }),
  'a first save': (checkpointer) => checkpointer.thread('new').save(stateOf(1)),
  'a first save in a namespace': (checkpointer) =>
    checkpointer.thread('a', { namespace: 'new' }).save(stateOf(1)),
  load: (checkpointer) => checkpointer.thread('a').load(3),
  history: (checkpointer) => all(checkpointer.thread('a').history({ states: true })),
  fork: (checkpointer) => checkpointer.thread('a').fork({ at: 5, as: 'twin' }),
  'fork with an edit': (checkpointer) =>
    checkpointer.thread<State>('a').fork({ at: 5, as: 'twin', edit: (draft) => void draft.words.push('!') }),
  copy: (checkpointer) => checkpointer.thread('a').copy('copied'),
  prune: (checkpointer) => checkpointer.thread('a').prune({ keepLast: 3 }),
  'prune an origin': (checkpointer) => checkpointer.thread('a').prune({ keepLast: 1, ancestors: 'drop' }),
  'delete checkpoints': (checkpointer) => checkpointer.thread('a').deleteCheckpoints([2, 4, 6]),
  'delete a run': (checkpointer) => checkpointer.thread('a').deleteRun('run 1'),
  delete: (checkpointer) => checkpointer.thread('a').delete(),
  'put writes': (checkpointer) =>
    checkpointer.thread('a').putWrites(3, 'task', [
      { channel: 'c', value: 1 },
      { channel: 'd', value: 'y'.repeat(70_000) },
    ]),
  threads: (checkpointer) => all(checkpointer.threads()),
  export: (checkpointer) => all(checkpointer.export()),
  import: async (checkpointer) => checkpointer.import(await theFile(), { onConflict: 'rename' }),
  'import without what is there': async (checkpointer) =>
    checkpointer.import(await theFile(), { onConflict: 'skip' }),
  usage: (checkpointer) => checkpointer.usage(),
  verify: (checkpointer) => checkpointer.verify(),
}

interface State {
  readonly n: number
  readonly words: string[]
}

const stateOf = (n: number): State => ({
  n,
  words: Array.from({ length: n }, (_, i) => `word ${i} `.repeat(1 + ((n * i) % 60))),
})

/** Each storage operation of each call goes wrong in each way; what is there afterwards is the old or the new. */
export default {
  promise: 'when any one operation of the storage goes wrong, a call has happened or it has not',
  rounds: { short: 5, long: 30 },
  on: ['node'],
  async run({ rounds: length }) {
    const sums = { calls: 0, faults: 0, rejected: 0, tookEffect: 0 }
    for (const options of Object.values(STORAGES)) {
      for (const [name, call] of Object.entries(CALLS)) {
        sums.calls++
        const { before, after } = await withoutFault(options, call, length)
        for (const fault of FAULTS) {
          for (let at = 1; ; at++) {
            if (at > MOST_OPERATIONS) throw broken('too many operations', { name })
            const result = await withFault(options, call, length, fault, at)
            if (!result.reached) break
            sums.faults++
            judge({ name, fault, at }, result, before, after)
            if (result.error) sums.rejected++
            if (result.found === after) sums.tookEffect++
          }
        }
      }
    }
    return sums
  },
} satisfies Proof

interface Result {
  readonly reached: boolean
  readonly found: string
  readonly problems: readonly unknown[]
  /** What the call was rejected with. */
  readonly error?: CheckpointerError
}

function judge(
  about: { name: string; fault: Fault; at: number },
  { found, problems, error }: Result,
  before: string,
  after: string,
): void {
  if (found !== before && found !== after)
    throw broken('neither before nor after', { ...about, found, before, after })
  if (problems.length > 0) throw broken('verify is not clean', { ...about, problems })
  if (error === undefined && found !== after) throw broken('resolved without effect', about)
  if (error?.outcome === 'none' && found !== before) throw broken('said to have changed nothing', about)
}

async function withoutFault(
  options: MemoryStorageOptions,
  call: (checkpointer: Checkpointer) => Promise<unknown>,
  length: number,
): Promise<{ before: string; after: string }> {
  const storage = await prepared(options, length)
  const before = await contents(storage)
  const checkpointer = await open(storage)
  await call(checkpointer)
  await checkpointer.close()
  return { before, after: await contents(storage) }
}

async function withFault(
  options: MemoryStorageOptions,
  call: (checkpointer: Checkpointer) => Promise<unknown>,
  length: number,
  fault: Fault,
  at: number,
): Promise<Result> {
  const storage = await prepared(options, length)
  const faulty = faultyStorage(storage, fault, at)
  let error: CheckpointerError | undefined
  try {
    const checkpointer = await open(faulty.storage)
    try {
      await call(checkpointer)
    } finally {
      await checkpointer.close().catch(() => {})
    }
  } catch (reason) {
    if (!CheckpointerError.is(reason)) throw reason
    error = reason
  }
  const { found, problems } = await lookInto(storage)
  return { reached: faulty.count() >= at, found, problems, ...(error === undefined ? {} : { error }) }
}

const open = (storage: Storage): Promise<Checkpointer> =>
  openCheckpointer({ name: NAME, storage, onWarning: () => {} })

async function prepared(options: MemoryStorageOptions, length: number): Promise<Storage> {
  const storage = Object.assign(memoryStorage(options), { close: async () => {} })
  const checkpointer = await open(storage)
  const thread = checkpointer.thread<State>('a')
  for (let n = 1; n <= Math.max(length, 8); n++)
    await thread.save(stateOf(n), {
      step: n,
      runId: `run ${n % 3}`,
      ...(n % 4 ? {} : { label: `fourth ${n}` }),
    })
  await thread.putWrites(3, 'earlier', [{ channel: 'c', value: 'z'.repeat(30_000) }])
  const fork = await thread.fork({ at: 4, as: 'fork' })
  await fork.save(stateOf(7))
  await checkpointer.thread('a', { namespace: 'sub' }).save(stateOf(2))
  await checkpointer.thread('beside').save(stateOf(3))
  await checkpointer.close()
  return storage
}

async function contents(storage: Storage): Promise<string> {
  return (await lookInto(storage)).found
}

/** All that can be seen from outside, but ids and times, as text; and what `verify` says. */
async function lookInto(storage: Storage): Promise<{ found: string; problems: readonly unknown[] }> {
  const checkpointer = await open(storage)
  const found: unknown[] = []
  const ids = (await all(checkpointer.threads())).map(({ id, forkOf }) => [id, forkOf?.seq] as const)
  for (const [id, forkedAt] of ids.sort(([a], [b]) => (a < b ? -1 : 1))) {
    for (const namespace of ['', 'sub', 'new']) {
      const thread = checkpointer.thread(id, { namespace })
      for await (const { seq, state, step, label } of thread.history({ states: true })) {
        const writes = (await thread.load(seq))?.pendingWrites.map(({ taskId, index, value }) => [
          taskId,
          index,
          value,
        ])
        found.push([id, forkedAt, namespace, seq, step, label, state, writes])
      }
    }
  }
  const { problems } = await checkpointer.verify()
  await checkpointer.close()
  return { found: JSON.stringify(found), problems }
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

let file: Promise<Blob> | undefined

/** Two families, each with a fork; one thread is there already. */
function theFile(): Promise<Blob> {
  file ??= makeFile()
  return file
}

async function makeFile(): Promise<Blob> {
  const checkpointer = await open(memoryStorage())
  for (const id of ['x', 'beside']) {
    const thread = checkpointer.thread<State>(id)
    for (let n = 1; n <= 5; n++) await thread.save(stateOf(n * 9))
    const fork = await thread.fork({ at: 3, as: `${id} fork` })
    await fork.save(stateOf(50))
    await fork.putWrites(4, 'task', [{ channel: 'c', value: 'y'.repeat(70_000) }])
    await thread.deleteCheckpoints([2])
  }
  return new Blob((await all(checkpointer.export())).map((piece) => new Uint8Array(piece)))
}
