import { CheckpointerError } from '../errors.ts'
import type {
  RunsReply,
  RunsRequest,
  SyncListReply,
  SyncListRequest,
  ThreadsReply,
  ThreadsRequest,
} from '../operations/host.ts'
import { shownTo } from './origin.ts'

type Request = ThreadsRequest | RunsRequest | SyncListRequest
type Reply = ThreadsReply | RunsReply | SyncListReply
type Item = Reply['items'][number]
export type ListPage = (request: Request) => Promise<Reply>

/** A page that shows nothing is followed by another, but not for ever: each thread is one to ask somebody about. */
const MOST_REFUSED = 10_000

/**
 * A page of what is listed, with only those threads that the caller is allowed, and of where they come from only what
 * is. It goes on until it ends at such a one, as the place to go on from names it.
 */
export async function listed(
  page: ListPage,
  request: Request,
  allow: (thread: string) => boolean | PromiseLike<boolean>,
): Promise<Reply> {
  const answers = new Map<string, Promise<boolean>>()
  const isAllowed = (thread: string): Promise<boolean> => {
    const known = answers.get(thread)
    if (known) return known
    const answer = (async () => (await allow(thread)) === true)()
    answers.set(thread, answer)
    return answer
  }
  const items: Item[] = []
  let asked = request
  for (let refused = 0; refused <= MOST_REFUSED; refused++) {
    const reply = await page(asked)
    for (const item of reply.items)
      if (await isAllowed(item.thread)) items.push('forkOf' in item ? await shownTo(item, isAllowed) : item)
      else refused++
    const { next } = reply
    if (!next || (await isAllowed(next.thread))) return { ...reply, items } as Reply
    asked = { ...request, after: next } as Request
  }
  throw new CheckpointerError(
    'UNSUPPORTED',
    'Too many threads here are not for this caller. Serve each one a checkpointer of its own.',
  )
}
