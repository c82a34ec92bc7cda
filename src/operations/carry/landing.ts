import { CheckpointerError } from '../../errors.ts'
import { threadKey } from '../../storage/keys.ts'
import { readFamily } from '../family.ts'
import type { ThreadRow } from '../rows/thread-row.ts'
import type { Store } from '../store.ts'
import { taken, type StagedImport } from './import.ts'
import type { ImportRow } from './import-row.ts'
import type { ImportedReply } from './messages.ts'
import { markUntidy, nameStaged, publishPartition, readStaged } from './publish.ts'
import { wipe } from './stage.ts'

type Names = Map<string, string | undefined>

const MOST_ID = 256

/** Lets a staged import be seen: all of it, whatever happens once that is decided. */
export async function land(
  store: Store,
  row: ImportRow,
  staged: StagedImport,
  sweep: (store: Store, partition: string) => Promise<void>,
): Promise<ImportedReply> {
  const names = await namesFor(store, staged)
  for (const partition of staged.partitions) {
    if (staged.untidy.has(partition)) await markUntidy(store, partition, await readStaged(store, partition))
    if (names.size > 0) await nameStaged(store, partition, names)
  }
  // From here on it is decided: should this end, the next to open goes on with it.
  await row.put('publishing')
  const published: ThreadRow[] = []
  const onTaken = async (thread: string): Promise<string | undefined> => {
    if (staged.onConflict === 'refuse') throw taken(thread)
    const name = await nameFor(store, thread, names, staged)
    names.set(thread, name)
    return name
  }
  for (const partition of staged.partitions)
    await publishPartition(store, partition, onTaken, (thread) => published.push(thread))
  // All of it is there. Who finds this row when it cannot be removed has nothing left to do.
  await row.remove().catch((cause: unknown) => store.warn(leftOver(cause)))
  const isTidy = staged.untidy.size === 0 && ![...names.values()].includes(undefined)
  if (!isTidy) for (const partition of staged.partitions) await tidy(store, partition, sweep)
  for (const { facts } of published) {
    const { thread, namespace, head } = facts
    store.threads.forget(thread)
    if (head) store.publish({ type: 'saved', thread, namespace, seq: head.seq, id: head.id })
  }
  return replyOf(staged, names)
}

/** The names that threads of the file get here, if not their own; `undefined` for those that are left out. */
async function namesFor(store: Store, staged: StagedImport): Promise<Names> {
  const names: Names = new Map()
  for (const thread of staged.threads) {
    if (!(await store.storage.locate(threadKey(thread, '')))) continue
    if (staged.onConflict === 'refuse') throw taken(thread)
    names.set(thread, await nameFor(store, thread, names, staged))
  }
  return names
}

/** `chat-2`, or the next that is neither here nor in the file. */
async function nameFor(
  store: Store,
  thread: string,
  names: Names,
  { onConflict, threads }: StagedImport,
): Promise<string | undefined> {
  if (onConflict === 'skip') return undefined
  const given = new Set(names.values())
  for (let number = 2; ; number++) {
    const end = `-${number}`
    const name = thread.slice(0, MOST_ID - end.length) + end
    if (given.has(name) || threads.has(name)) continue
    if (!(await store.storage.locate(threadKey(name, '')))) return name
  }
}

async function tidy(
  store: Store,
  partition: string,
  sweep: (store: Store, partition: string) => Promise<void>,
): Promise<void> {
  try {
    const { threads, damaged } = await readFamily(store, partition)
    await (threads.length + damaged.length > 0 ? sweep(store, partition) : wipe(store, partition))
  } catch (cause) {
    store.warn(leftOver(cause))
  }
}

const leftOver = (cause: unknown): CheckpointerError =>
  new CheckpointerError(
    'FAILED',
    'An import is there, and has left some rows behind that a later step removes.',
    {
      cause,
    },
  )

function replyOf({ threads, checkpoints, missing }: StagedImport, names: Names): ImportedReply {
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
