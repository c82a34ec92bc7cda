import { openCheckpointer, type Checkpointer, type OpenOptions } from '../../../src/index.ts'
import { createHost } from '../../../src/operations/create-host.ts'
import type { Host } from '../../../src/operations/host.ts'
import { mapHost, type Verb } from '../../../src/operations/verbs.ts'
import { escapeId } from '../../../src/storage/keys.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { localEvents } from '../../../src/tabs/events.ts'

/** What a call is made on. */
export interface Opened {
  readonly checkpointer: Checkpointer
  readonly host: Host
  /** What the host has warned of so far. */
  readonly warnings: readonly unknown[]
}

export type Opening = Pick<OpenOptions, 'durability'> & { readonly keepLast?: number }

/** A checkpointer over any storage, and its host, of which each verb that is called is told. */
export async function open(
  storage: Storage,
  { keepLast, ...options }: Opening = {},
  called: (verb: Verb) => void = () => {},
): Promise<Opened> {
  const warnings: unknown[] = []
  const onWarning = (warning: unknown): void => void warnings.push(warning)
  const events = localEvents()
  const made = await createHost({
    storage,
    publish: (event) => events.publish(event),
    onWarning,
    ...(keepLast === undefined ? {} : { retention: { keepLast, keepLabelled: false } }),
  })
  const host = mapHost(made, (run, verb) => (request) => {
    called(verb)
    return run(request)
  })
  const checkpointer = await openCheckpointer({
    name: 'every operation',
    host: { ...host, events },
    onWarning,
    ...options,
  })
  return { checkpointer, host, warnings }
}

export interface State {
  readonly n: number
  readonly words: string[]
}

export const stateOf = (n: number): State => ({
  n,
  words: Array.from({ length: n }, (_, i) => `word ${i} `.repeat(1 + ((n * i) % 60))),
})

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

/** What is there before each call. */
export async function prepared(storage: Storage, length: number): Promise<void> {
  const { checkpointer } = await open(storage)
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
}

/** A storage that outlives who closes it. */
export const lasting = (storage: Storage): Storage => Object.assign(storage, { close: async () => {} })

export async function lengthOf(storage: Storage, id: string): Promise<number> {
  const { checkpointer } = await open(storage)
  const { length } = await all(checkpointer.thread(id).history())
  await checkpointer.close()
  return length
}

/** A store that has all that this one has. */
export async function copied(storage: Storage): Promise<Storage> {
  const other = lasting(memoryStorage({ limits: storage.limits }))
  await synced(storage, other)
  return other
}

/** Both go on with one thread, and have two heads of it then. */
export async function went(storage: Storage, other: Storage): Promise<void> {
  for (const [n, each] of [storage, other].entries()) {
    const { checkpointer } = await open(each)
    await checkpointer.thread('a').save(stateOf(30 + n))
    await checkpointer.close()
  }
  await synced(storage, other)
}

async function synced(storage: Storage, other: Storage): Promise<void> {
  const [here, there] = [await open(storage), await open(other)]
  await here.checkpointer.sync(there.checkpointer)
  await here.checkpointer.close()
  await there.checkpointer.close()
}

/** A store that was brought together with this one before: since then each has got and lost something. */
export async function beside(storage: Storage): Promise<Storage> {
  const other = await copied(storage)
  const [here, there] = [await open(storage), await open(other)]
  await here.checkpointer.thread('a').save(stateOf(40))
  await here.checkpointer.thread('a').deleteCheckpoints([2])
  await here.checkpointer.thread('ours').save({ large: 'x'.repeat(70_000) })
  await there.checkpointer.thread('a').save(stateOf(41))
  await there.checkpointer.thread('beside').delete()
  const theirs = there.checkpointer.thread<State>('theirs')
  for (let n = 1; n <= 3; n++) await theirs.save(stateOf(n * 12))
  await theirs.putWrites(2, 'task', [{ channel: 'c', value: 1 }])
  await theirs.fork({ at: 2, as: 'their fork' })
  await here.checkpointer.close()
  await there.checkpointer.close()
  return other
}

/** One checkpoint in the middle of a chain, and the row of a fork. */
export async function damage(storage: Storage): Promise<void> {
  const partition = escapeId('a')
  const [rows = []] = await storage.read(partition, [{ table: 'checkpoints', from: [], to: ['\x7e'] }])
  const row = rows.find(({ key }) => key[1] === 6)
  if (!row) throw new Error('There is no such row.')
  const head = row.head.replace('"createdAt":', '"createdAu":')
  await storage.commit(partition, {
    puts: [{ table: 'checkpoints', key: row.key, head, ...(row.body ? { body: row.body } : {}) }],
    deletes: [{ table: 'threads', key: ['fork', ''] }],
  })
}

let file: Promise<Blob> | undefined

/** Two families, each with a fork; one thread is there already. */
export function theFile(): Promise<Blob> {
  file ??= makeFile()
  return file
}

async function makeFile(): Promise<Blob> {
  const { checkpointer } = await open(memoryStorage())
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
