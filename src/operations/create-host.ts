import { CheckpointerError } from '../errors.ts'
import { CURRENT_FORMAT } from '../storage/format-version.ts'
import { DATABASE_KEY, DATABASE_PARTITION } from '../storage/keys.ts'
import type { Storage } from '../storage/storage.ts'
import { deleteCheckpoints, deleteRun, deleteThread } from './delete.ts'
import { flush } from './flush.ts'
import { copy, fork } from './fork.ts'
import { history } from './history.ts'
import { underLease } from './fence.ts'
import type { Host, OfThread, Publish } from './host.ts'
import { dropLease, keepLease, takeLease } from './lease.ts'
import { load } from './load.ts'
import { prune } from './prune.ts'
import { seal, unseal } from './rows/seal.ts'
import { LEAST_VALUE_BYTES } from './rows/payload.ts'
import { save, saveMany } from './save.ts'
import { placeText, ThreadCache, unlessDamaged, type Store } from './store.ts'
import { usage } from './survey/usage.ts'
import { verify } from './survey/verify.ts'
import { threads } from './threads.ts'
import { putWrites } from './writes.ts'

export interface HostOptions {
  readonly storage: Storage
  readonly publish?: Publish
  /** Told of what fails behind the callers' backs. */
  readonly onWarning?: (warning: CheckpointerError) => void
}

/** The store's side, over any storage. Refuses a database of another format before anything is read from it. */
export async function createHost({
  storage,
  publish = () => {},
  onWarning = () => {},
}: HostOptions): Promise<Host> {
  if (storage.limits.valueBytes < LEAST_VALUE_BYTES)
    throw new CheckpointerError(
      'UNSUPPORTED',
      `A storage must take rows of ${LEAST_VALUE_BYTES} bytes at least.`,
    )
  await claimDatabase(storage, onWarning)
  const running = new Set<Promise<unknown>>()
  const turns = new Map<string, Promise<unknown>>()
  let closed = false

  const store: Store = {
    storage,
    publish,
    warn: onWarning,
    threads: new ThreadCache(),
    beats: new Map(),
    inTurn(place, work) {
      const name = placeText(place)
      const turn = (turns.get(name) ?? Promise.resolve()).then(work, work)
      turns.set(name, turn)
      const done = (): void => {
        if (turns.get(name) === turn) turns.delete(name)
      }
      turn.then(done, done)
      return turn
    },
    background(work) {
      const soon = new Promise<void>((resolve) => setTimeout(resolve, 0))
      const job = soon
        .then(() => (closed ? undefined : work()))
        .catch((cause: unknown) => {
          if (!closed)
            onWarning(
              new CheckpointerError(
                'FAILED',
                `Work in the background failed; nothing is lost. ${String(cause)}`,
                { cause },
              ),
            )
        })
      running.add(job)
      void job.finally(() => running.delete(job))
    },
  }

  /** Every verb: refused once closed, and waited for by `close`. */
  const verb =
    <Request, Reply>(run: (store: Store, request: Request) => Promise<Reply>) =>
    async (request: Request): Promise<Reply> => {
      if (closed) throw new CheckpointerError('CLOSED', 'This checkpointer is closed. Open it again.')
      const job = run(store, request)
      running.add(job)
      try {
        return await job
      } finally {
        running.delete(job)
      }
    }

  // What was asked for before is done first: the page sends its last saves, and then this.
  const rest = async (): Promise<void> => {
    await Promise.allSettled(running)
    await storage.rest?.()
  }

  /** Those that change a thread: under the lease that is named, if any. */
  const fenced = <Request extends OfThread, Reply>(run: (store: Store, request: Request) => Promise<Reply>) =>
    verb((_: Store, request: Request) => underLease(store, request, (under) => run(under, request)))

  const close = async (): Promise<void> => {
    closed = true
    await Promise.allSettled(running)
    await storage.close()
  }

  return {
    save: verb(save),
    saveMany: verb(saveMany),
    load: verb(load),
    history: verb(history),
    fork: verb(fork),
    copy: verb(copy),
    prune: fenced(prune),
    deleteThread: fenced(deleteThread),
    deleteCheckpoints: fenced(deleteCheckpoints),
    deleteRun: fenced(deleteRun),
    putWrites: fenced(putWrites),
    takeLease: verb(takeLease),
    keepLease: verb(keepLease),
    dropLease: verb(dropLease),
    threads: verb(threads),
    usage: verb(usage) as () => ReturnType<typeof usage>,
    verify: verb(verify),
    owe: verb(async () => storage.owe?.()) as () => Promise<void>,
    flush: verb(flush) as () => Promise<void>,
    rest: verb(rest) as () => Promise<void>,
    async destroy() {
      closed = true
      await Promise.allSettled(running)
      await storage.destroy()
      await storage.close()
    },
    close,
  }
}

/** The row that says what this database is. Made with the database, so that a wiped one can be told from it. */
async function claimDatabase(
  storage: Storage,
  onWarning: (warning: CheckpointerError) => void,
): Promise<void> {
  const [rows] = await storage.read(DATABASE_PARTITION, [{ table: 'meta', keys: [DATABASE_KEY] }])
  const row = rows?.[0]
  if (row) {
    const facts = unlessDamaged(() => unseal(DATABASE_PARTITION, 'meta', row) as { format: number })
    // Every row says its own format too, so all else can still be read.
    if (!facts)
      return onWarning(new CheckpointerError('CORRUPT', 'The row that describes the database is damaged.'))
    const { format } = facts
    if (format <= CURRENT_FORMAT) return
    throw new CheckpointerError(
      'FORMAT_TOO_NEW',
      `The database has format ${format}, this version writes ${CURRENT_FORMAT}. Update the package.`,
    )
  }
  const facts = { format: CURRENT_FORMAT, id: crypto.randomUUID(), createdAt: Date.now() }
  // When another one is first, its row serves as well.
  await storage.commit(DATABASE_PARTITION, {
    checks: [{ table: 'meta', key: DATABASE_KEY, version: undefined }],
    puts: [{ table: 'meta', key: DATABASE_KEY, head: seal(DATABASE_PARTITION, 'meta', DATABASE_KEY, facts) }],
  })
}
