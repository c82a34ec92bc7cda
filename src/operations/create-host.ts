import { CheckpointerError, closed, isTaken } from '../errors.ts'
import { Turns } from '../platform/turns.ts'
import { part } from '../part.ts'
import type * as AllSeldom from './all-seldom.ts'
import type { Row, Storage } from '../storage/storage.ts'
import { Claim } from './store/claim.ts'
import { deleteCheckpoints, deleteRun, deleteThread } from './delete.ts'
import { dropWrites } from './saving/drop-writes.ts'
import { flush } from './saving/flush.ts'
import { fork } from './fork.ts'
import { head } from './reading/head.ts'
import { heads } from './reading/heads.ts'
import { history } from './reading/history.ts'
import { namespaces } from './reading/namespaces.ts'
import { underLease } from './store/fence.ts'
import type {
  Host,
  OfThread,
  OweRequest,
  Publish,
  RepairRequest,
  SettleRequest,
  StoreRetention,
  UsageRequest,
} from './host.ts'
import { Line } from './store/line.ts'
import { dropLease, keepLease, leaseSign, takeLease } from './lease.ts'
import { load } from './reading/load.ts'
import { prune } from './prune.ts'
import { readWrites } from './reading/read-writes.ts'
import { reconcile } from './reconcile.ts'
import { recordLoss } from './lost.ts'
import { Retention } from './retention/keeper.ts'
import { LEAST_VALUE_BYTES } from './rows/payload.ts'
import { runs } from './reading/runs.ts'
import { save, saveMany } from './saving/save.ts'
import type { Store } from './store/store.ts'
import { placeText, ThreadCache } from './store/thread-cache.ts'
import { threads } from './reading/threads.ts'
import { putWrites } from './saving/put-writes.ts'

export interface HostOptions {
  readonly storage: Storage
  readonly publish?: Publish
  /** Told of what fails behind the callers' backs. */
  readonly onWarning?: (warning: CheckpointerError) => void
  /** The caller's side remembers heads outside of the database, and will `reconcile` them. */
  readonly isWitnessed?: boolean
  /** `false`: nothing is done in the background, to see what that costs. Chains then grow without end. */
  readonly inBackground?: boolean
  /** What threads let go by themselves, unless they say otherwise. */
  readonly retention?: StoreRetention | undefined
}

/** Work that few ask for: its code is loaded when the first does. */
const seldom =
  <Request, Reply>(pick: (all: typeof AllSeldom) => (store: Store, request: Request) => Promise<Reply>) =>
  async (store: Store, request: Request): Promise<Reply> =>
    pick(await part(() => import('./all-seldom.ts')))(store, request)

/** What an import has left that was cut off keeps nobody from opening: else a later opening goes on with it. */
async function recover(store: Store, imports: readonly Row[]): Promise<void> {
  try {
    await seldom((all) => all.recoverImports)(store, imports)
  } catch (error) {
    if (!CheckpointerError.is(error, 'UNSUPPORTED')) throw error
    store.warn(error)
  }
}

const behindBacks = (cause: unknown): CheckpointerError =>
  new CheckpointerError('FAILED', `Work in the background failed; nothing is lost. ${String(cause)}`, {
    cause,
  })

/** The store's side, over any storage. Refuses a database of another format before anything is read from it. */
export async function createHost({
  storage,
  publish = () => {},
  onWarning = () => {},
  isWitnessed = false,
  inBackground = true,
  retention,
}: HostOptions): Promise<Host> {
  if (storage.limits.valueBytes < LEAST_VALUE_BYTES)
    throw new CheckpointerError(
      'UNSUPPORTED',
      `A storage must take rows of ${LEAST_VALUE_BYTES} bytes at least.`,
    )
  const threadsSeen = new ThreadCache()
  const claim = new Claim(storage, onWarning, () => threadsSeen.clear())
  await claim.renew()
  const running = new Set<Promise<unknown>>()
  const turns = new Turns()
  let isClosed = false

  const store: Store = {
    get keeper() {
      return keeper
    },
    storage,
    publish,
    warn: onWarning,
    beats: new Map(),
    endings: new Set(),
    threads: threadsSeen,
    claim,
    isWitnessed,
    line: new Line(() => claim.database),
    inTurn: (place, work) => turns.take(placeText(place), work),
    background(work) {
      if (!inBackground) return
      const soon = new Promise<void>((resolve) => setTimeout(resolve, 0))
      const job = soon
        .then(() => (isClosed ? undefined : work()))
        .catch((cause: unknown) => {
          claim.doubtAfter(cause)
          if (!isClosed) onWarning(isTaken(cause) ? cause : behindBacks(cause))
        })
      running.add(job)
      void job.finally(() => running.delete(job))
    },
  }

  const refuseWhenClosed = (): void => {
    if (isClosed) throw closed()
  }
  const keeper = new Retention(store, retention)

  /** Every verb: refused once closed, and waited for by `close`. */
  const verb =
    <Request, Reply>(run: (store: Store, request: Request) => Promise<Reply>) =>
    async (request: Request): Promise<Reply> => {
      refuseWhenClosed()
      const job = claim.isDoubted ? claim.renew().then(() => run(store, request)) : run(store, request)
      running.add(job)
      try {
        return await job
      } catch (error) {
        claim.doubtAfter(error)
        throw coded(error)
      } finally {
        running.delete(job)
      }
    }

  /** Those that change something: not in a database that is too new to be written. */
  const acting = <Request, Reply>(run: (store: Store, request: Request) => Promise<Reply>) =>
    verb((own: Store, request: Request) => {
      claim.needWritable()
      return run(own, request)
    })

  // What was asked for before is done first: the page sends its last saves, and then this.
  const rest = async (): Promise<void> => {
    refuseWhenClosed()
    await Promise.allSettled(running)
    await storage.rest?.()
  }

  /** Those that change a thread: under the lease that is named, if any. */
  const fenced = <Request extends OfThread, Reply>(run: (store: Store, request: Request) => Promise<Reply>) =>
    acting((_: Store, request: Request) => underLease(store, request, (under) => run(under, request)))

  const end = async (): Promise<void> => {
    isClosed = true
    keeper.stop()
    await Promise.allSettled(running)
    keeper.stop()
    for (const ending of store.endings) await ending()
  }

  const close = async (): Promise<void> => {
    await end()
    await storage.close()
  }

  if (!claim.isReadOnly && claim.imports.length > 0) await recover(store, claim.imports)
  return {
    save: acting(save),
    saveMany: acting(saveMany),
    head: verb(head),
    load: verb(load),
    history: verb(history),
    fork: acting(fork),
    copy: acting(seldom((all) => all.copy)),
    prune: fenced(prune),
    deleteThread: fenced(deleteThread),
    deleteCheckpoints: fenced(deleteCheckpoints),
    deleteRun: fenced(deleteRun),
    putWrites: fenced(putWrites),
    readWrites: verb(readWrites),
    dropWrites: fenced(dropWrites),
    takeLease: acting(takeLease),
    keepLease: acting(keepLease),
    dropLease: acting(dropLease),
    leaseSign: verb(leaseSign),
    threads: verb(threads),
    namespaces: verb(namespaces),
    runs: verb(runs),
    usage: verb(async (own, request: UsageRequest) =>
      (await part(() => import('./survey/usage.ts'))).usage(own, request),
    ),
    verify: verb(seldom((all) => all.verify)),
    // A plan is one to read.
    repair: verb((own, request: RepairRequest) => {
      if (!request.isPlan) claim.needWritable()
      return seldom((all) => all.repair)(own, request)
    }),
    heads: verb(heads),
    chooseHead: fenced(seldom((all) => all.chooseHead)),
    syncList: verb(seldom((all) => all.syncList)),
    syncAsk: acting(seldom((all) => all.syncAsk)),
    syncHave: verb(seldom((all) => all.syncHave)),
    syncWant: verb(seldom((all) => all.syncWant)),
    syncGive: acting(seldom((all) => all.syncGive)),
    syncTake: acting(seldom((all) => all.syncTake)),
    syncGone: verb(seldom((all) => all.syncGone)),
    syncForget: acting(seldom((all) => all.syncForget)),
    syncRecall: verb(seldom((all) => all.syncRecall)),
    syncNote: acting(seldom((all) => all.syncNote)),
    owe: acting(async (_, { session }: OweRequest) => storage.owe?.(session)),
    settle: acting(async (_, { sessions, inOrder }: SettleRequest) => storage.settle?.(sessions, inOrder)),
    flush: acting(flush) as () => Promise<void>,
    rest,
    reconcile: verb(reconcile),
    recordLoss: acting(recordLoss),
    exportPage: verb(seldom((all) => all.exportPage)),
    importPage: acting(seldom((all) => all.importPage)),
    endCarry: verb(seldom((all) => all.endCarry)),
    async destroy() {
      claim.needWritable()
      await end()
      await storage.destroy()
      publish({ type: 'destroyed' })
      await storage.close()
    },
    close,
  }
}

/** What a storage rejects with that knows no codes. */
const coded = (error: unknown): CheckpointerError =>
  CheckpointerError.is(error)
    ? error
    : new CheckpointerError('FAILED', `The storage failed: ${String(error)}`, { cause: error })
