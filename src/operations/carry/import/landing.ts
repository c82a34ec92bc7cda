import { CheckpointerError, isTaken } from '../../../errors.ts'
import { threadKey } from '../../../storage/keys.ts'
import type { ThreadFacts } from '../../rows/thread-row.ts'
import type { Store } from '../../store/store.ts'
import { clearMarked } from './clear.ts'
import { taken, type StagedImport } from './importer.ts'
import type { ImportRow } from './import-row.ts'
import type { ImportedReply } from '../../host.ts'
import { markUntidy, nameStaged, publishPartition, readStaged } from './publish.ts'

const MOST_ID = 256

/** Lets a staged import be seen: all of it, whatever happens once that is decided. */
export async function land(
  store: Store,
  row: ImportRow,
  staged: StagedImport,
  sweep: (store: Store, partition: string) => Promise<void>,
): Promise<ImportedReply> {
  const names = new Names(store, staged)
  await names.choose()
  for (const partition of staged.partitions) {
    if (staged.untidy.has(partition)) await markUntidy(store, partition, await readStaged(store, partition))
    if (names.given.size > 0) await nameStaged(store, partition, names.given)
  }
  // From here on it is decided: should this end, the next to open goes on with it.
  await row.decide()
  await publish(store, row, staged, names)
  // All of it is there. Who finds this row when it cannot be removed has nothing left to do.
  await row.remove().catch((cause: unknown) => store.warn(leftOver(cause)))
  const isTidy = staged.untidy.size === 0 && ![...names.given.values()].includes(undefined)
  if (!isTidy)
    for (const partition of staged.partitions)
      await sweep(store, partition).catch((cause: unknown) => store.warn(leftOver(cause)))
  return replyOf(staged, names.given)
}

/** Only a name that is taken, where that is to be refused, takes back what is decided. */
async function publish(store: Store, row: ImportRow, staged: StagedImport, names: Names): Promise<void> {
  const published: ThreadFacts[] = []
  let refusal: CheckpointerError | undefined
  const onTaken = async (thread: string): Promise<string | undefined> => {
    if (staged.onConflict === 'refuse') throw (refusal = taken(thread))
    return names.another(thread)
  }
  try {
    for (const partition of staged.partitions)
      await publishPartition(store, partition, { onTaken, onPublished: (facts) => published.push(facts) })
  } catch (cause) {
    if (refusal && (await row.mark('clearing').catch(() => false))) {
      const lanes = new Set(published.map(({ lane }) => lane))
      await clearMarked(store, row, lanes).catch((error: unknown) => store.warn(notTakenBack(error)))
      throw refusal
    }
    tell(store, published)
    throw goesOn(cause)
  }
  tell(store, published)
}

function tell(store: Store, published: readonly ThreadFacts[]): void {
  for (const { thread, namespace, head } of published) {
    store.threads.forget(thread)
    if (head) store.publish({ type: 'saved', thread, namespace, seq: head.seq, id: head.id })
  }
}

/** The names that threads of the file get here, where there are such threads already. */
class Names {
  /** None for those that are left out. */
  readonly given = new Map<string, string | undefined>()
  readonly #store: Store
  readonly #staged: StagedImport
  readonly #used = new Set<string>()

  constructor(store: Store, staged: StagedImport) {
    this.#store = store
    this.#staged = staged
  }

  async choose(): Promise<void> {
    for (const thread of this.#staged.threads) if (await this.#isHere(thread)) await this.another(thread)
  }

  /** `chat-2`, or the next that is neither here nor in the file. Its name by now may be one that it was given before. */
  async another(current: string): Promise<string | undefined> {
    const thread = [...this.given].find(([, name]) => name === current)?.[0] ?? current
    const { onConflict, threads } = this.#staged
    if (onConflict === 'refuse') throw taken(thread)
    let name: string | undefined
    for (let number = 2; onConflict === 'rename' && name === undefined; number++) {
      const end = `-${number}`
      const next = thread.slice(0, MOST_ID - end.length) + end
      if (!this.#used.has(next) && !threads.has(next) && !(await this.#isHere(next))) name = next
    }
    if (name !== undefined) this.#used.add(name)
    this.given.set(thread, name)
    return name
  }

  async #isHere(thread: string): Promise<boolean> {
    return (await this.#store.storage.locate(threadKey(thread, ''))) !== undefined
  }
}

function goesOn(cause: unknown): CheckpointerError {
  const why = cause instanceof Error ? cause.message : String(cause)
  const message = `The import is decided, but not all of it can be seen yet: the next opening goes on with it. ${why}`
  return new CheckpointerError(isTaken(cause) ? cause.code : 'FAILED', message, { outcome: 'unknown', cause })
}

export const notTakenBack = (cause: unknown): CheckpointerError =>
  new CheckpointerError(
    'FAILED',
    'What an import has brought could not be removed yet; a later opening does.',
    {
      cause,
    },
  )

const leftOver = (cause: unknown): CheckpointerError =>
  new CheckpointerError(
    'FAILED',
    'An import is there, and has left some rows behind that a later step removes.',
    {
      cause,
    },
  )

function replyOf({ threads, checkpoints, missing }: StagedImport, names: Names['given']): ImportedReply {
  const all = [...threads]
  const renamed = all.flatMap((from) => {
    const to = names.get(from)
    return to === undefined ? [] : { from, to }
  })
  return {
    threads: all.flatMap((thread) => (names.has(thread) ? (names.get(thread) ?? []) : thread)),
    skipped: all.filter((thread) => names.has(thread) && names.get(thread) === undefined),
    renamed,
    checkpoints,
    missing,
  }
}
