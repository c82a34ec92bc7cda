import type { HeadReply, Place } from '../host.ts'
import type { Store } from '../store/store.ts'
import { readThread } from '../store/threads.ts'

/** What the next save will go on from, and the latest run. */
export async function head(store: Store, place: Place): Promise<HeadReply> {
  const { next = 1, head, run } = (await readThread(store, place))?.facts ?? {}
  return { next, ...(head ? { head: { seq: head.seq, id: head.id } } : {}), ...(run ? { run } : {}) }
}
