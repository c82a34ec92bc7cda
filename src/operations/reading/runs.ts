import type { RunsReply, RunsRequest } from '../host.ts'
import { listedThreads, namespacesOf } from './listed.ts'
import type { Store } from '../store/store.ts'

/** The latest runs of one page of threads and of their namespaces, in the order of the list of threads. */
export async function runs(store: Store, request: RunsRequest): Promise<RunsReply> {
  const { threads, next } = await listedThreads(store, request)
  const places = await Promise.all(threads.map((row) => namespacesOf(store, row)))
  const items = places
    .flat()
    .flatMap(({ thread, namespace, run }) => (run ? [{ thread, namespace, run }] : []))
  return { items, ...(next ? { next } : {}) }
}
