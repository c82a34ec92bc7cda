import { threadKey } from '../../storage/keys.ts'
import { deleteThread, removeWhere } from '../delete.ts'
import type { SyncForgetRequest, SyncGone } from '../host.ts'
import { keyOf } from '../rows/checkpoint-row.ts'
import { openThread, threadPut } from '../rows/thread-row.ts'
import { isSyncForget } from '../shapes/syncing.ts'
import { heldOf } from './held.ts'
import { notOurs } from './take.ts'
import { saveText, writeGone } from '../store/gone.ts'
import type { Store } from '../store/store.ts'
import { checkThread } from '../store/threads.ts'
import { unlessUnread } from '../store/unread.ts'

/**
 * First it is removed, then written down: were it the other way round, a crash in between would leave what nobody
 * sends again. The thread's row is put anew before and after, as whoever compares stamps has to look again.
 */
export async function syncForget(store: Store, request: SyncForgetRequest): Promise<number> {
  if (!isSyncForget(request)) throw notOurs()
  const { thread, gone, deleted } = request
  const removed = await removeAll(store, thread, gone)
  if (removed === 0) await touch(store, thread)
  const heard: SyncGone[] = []
  // What cannot be read is there still: then it is not to be called heard of, so that it is told again.
  for (const each of gone) if (!(await showsAny(store, thread, each))) heard.push(each)
  for (const each of heard) await writeGone(store, thread, { ...each, isOwn: false })
  // Somebody who had not heard of it may have brought it back until it was written down, and nobody can since.
  const again: SyncGone[] = []
  for (const each of heard) if (await showsAny(store, thread, each)) again.push(each)
  const removedAgain = await removeAll(store, thread, again)
  const isEmpty =
    deleted &&
    (await deleteThread(store, { thread }, (own) => own.every(({ facts }) => !facts.head), 'nothing'))
  if (!isEmpty) await touch(store, thread)
  return removed + removedAgain
}

async function removeAll(store: Store, thread: string, gone: readonly SyncGone[]): Promise<number> {
  const saves = new Set(gone.flatMap((each) => each.saves.map((save) => saveText(save.namespace, save))))
  if (saves.size === 0) return 0
  const { removed } = await removeWhere(
    store,
    thread,
    ({ facts }, namespace) => saves.has(saveText(namespace, { id: keyOf(facts) })),
    { spread: 'nothing' },
  )
  return removed.length
}

const showsAny = async (store: Store, thread: string, { saves }: SyncGone): Promise<boolean> =>
  (await heldOf(store, thread, saves)).includes('same')

async function touch(store: Store, thread: string): Promise<void> {
  const found = await store.storage.locate(threadKey(thread, ''))
  const row = found && unlessUnread(() => openThread(found.partition, found.row))
  if (!row) return
  const { partition, facts } = row
  // When it has been put by another since, that does as well.
  await store.storage.commit(partition, { checks: [checkThread(row)], puts: [threadPut(partition, facts)] })
  store.threads.forget(thread)
}
