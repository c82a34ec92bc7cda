import type { OfThread } from '../host.ts'
import { namespacesOf } from './listed.ts'
import type { Store } from '../store/store.ts'
import { readThread } from '../store/threads.ts'

/** The namespaces of a thread, by name. One whose checkpoints are all gone is remembered, but not told. */
export async function namespaces(store: Store, { thread }: OfThread): Promise<readonly string[]> {
  const root = await readThread(store, { thread, namespace: '' })
  if (!root) return []
  const found = await namespacesOf(store, root)
  return found.flatMap(({ namespace, head }) => (head ? [namespace] : [])).sort()
}
