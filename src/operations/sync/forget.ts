import { threadKey } from '../../storage/keys.ts'
import { deleteThread, removeWhere } from '../delete.ts'
import type { SyncForgetRequest } from '../host.ts'
import { keyOf } from '../rows/checkpoint-row.ts'
import { openThread, threadPut } from '../rows/thread-row.ts'
import { isSyncForget } from '../shapes/syncing.ts'
import { notOurs } from './take.ts'
import { saveText, writeGone } from '../store/gone.ts'
import { checkThread, unlessUnread, type Store } from '../store/store.ts'

/**
 * First it is removed, then written down: were it the other way round, a crash in between would leave what nobody
 * sends again. The thread's row is put anew before and after, as whoever compares stamps has to look again.
 */
export async function syncForget(store: Store, request: SyncForgetRequest): Promise<number> {
  if (!isSyncForget(request)) throw notOurs()
  const { thread, gone, deleted } = request
  const saves = new Set(gone.flatMap((each) => each.saves.map((save) => saveText(save.namespace, save))))
  const goes = saves.size > 0
  const { removed } = goes
    ? await removeWhere(
        store,
        thread,
        ({ facts }, namespace) => saves.has(saveText(namespace, { id: keyOf(facts) })),
        { spread: 'nothing' },
      )
    : { removed: [] }
  if (removed.length === 0) await touch(store, thread)
  for (const each of gone) await writeGone(store, thread, { ...each, isOwn: false })
  const isEmpty =
    deleted &&
    (await deleteThread(store, { thread }, (own) => own.every(({ facts }) => !facts.head), 'nothing'))
  if (!isEmpty) await touch(store, thread)
  return removed.length
}

async function touch(store: Store, thread: string): Promise<void> {
  const found = await store.storage.locate(threadKey(thread, ''))
  const row = found && unlessUnread(() => openThread(found.partition, found.row))
  if (!row) return
  const { partition, facts } = row
  // When it has been put by another since, that does as well.
  await store.storage.commit(partition, { checks: [checkThread(row)], puts: [threadPut(partition, facts)] })
  store.threads.forget(thread)
}
