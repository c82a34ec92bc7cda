import 'fake-indexeddb/auto'
import { openCheckpointer, type Checkpointer, type CheckpointInfo, type Thread } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { onTestFinished } from 'vitest'

interface Store {
  readonly kind: string
  readonly open: () => Promise<Checkpointer>
}

/** For `describe.each`. */
export const stores: readonly Store[] = [
  { kind: 'memory', open: () => opened({ name: newName(), storage: memoryStorage() }) },
  { kind: 'IndexedDB', open: () => opened({ name: newName(), worker: false }) },
]

/** What the scenarios of the reference systems run over: also read by another tab, which knows no state. */
export const seedStores: readonly Store[] = [
  ...stores,
  {
    kind: 'memory, read elsewhere',
    open: async () => {
      const options = { name: newName(), storage: memoryStorage() }
      return readElsewhere(await opened(options), await opened(options))
    },
  },
  {
    kind: 'IndexedDB, read elsewhere',
    open: async () => {
      const options = { name: newName(), worker: false } as const
      return readElsewhere(await opened(options), await opened(options))
    },
  },
]

/** A checkpointer gives back what it has just saved from memory; this one reads all with another. */
function readElsewhere(writer: Checkpointer, reader: Checkpointer): Checkpointer {
  const split = <State>(own: Thread<State>): Thread<State> => {
    const other = reader.thread<State>(own.id, { namespace: own.namespace })
    return {
      id: own.id,
      namespace: own.namespace,
      save: (state, options) => own.save(state, options),
      load: (which) => other.load(which),
      namespaces: () => other.namespaces(),
      history: other.history.bind(other) as Thread<State>['history'],
      fork: async (options) => split(await own.fork(options)),
      copy: async (as) => split(await own.copy(as)),
      prune: (options) => own.prune(options),
      deleteCheckpoints: (refs) => own.deleteCheckpoints(refs),
      heads: () => other.heads(),
      chooseHead: (ref) => own.chooseHead(ref),
      deleteRun: (runId) => own.deleteRun(runId),
      delete: () => own.delete(),
      putWrites: (checkpoint, taskId, writes) => own.putWrites(checkpoint, taskId, writes),
      lease: (options) => own.lease(options),
      run: (options, loop) => own.run(options, loop),
      answer: (value, options) => own.answer(value, options),
      latestRun: () => other.latestRun(),
      watch: (options) => other.watch(options),
    }
  }
  return {
    thread: (id, options) => split(writer.thread(id, options)),
    threads: (options) => reader.threads(options),
    runs: (options) => reader.runs(options),
    onOrphan: (handler) => reader.onOrphan(handler),
    usage: () => reader.usage(),
    verify: (options) => reader.verify(options),
    subscribe: (listener) => writer.subscribe(listener),
    holdsBack: (work) => writer.holdsBack(work),
    persist: () => writer.persist(),
    flush: () => writer.flush(),
    export: (ids) => reader.export(ids),
    sync: (remote, options) => writer.sync(remote, options),
    import: (stream, options) => writer.import(stream, options),
    close: () => writer.close(),
    destroy: () => writer.destroy(),
  }
}

/** A name that no other test has. */
export const newName = (): string => `test ${crypto.randomUUID()}`

/** A checkpointer that is closed when its test is done. */
export async function opened(options: Parameters<typeof openCheckpointer>[0]): Promise<Checkpointer> {
  const checkpointer = await openCheckpointer(options)
  onTestFinished(() => checkpointer.close())
  return checkpointer
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

/** The ids of all threads, in the order of the alphabet. */
export async function threadIds(checkpointer: Checkpointer): Promise<string[]> {
  return (await collect(checkpointer.threads())).map(({ id }) => id).sort()
}

export const seqs = async (history: AsyncIterable<CheckpointInfo>): Promise<number[]> =>
  (await collect(history)).map(({ seq }) => seq)
