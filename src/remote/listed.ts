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
/** Where little is shown, so many are read at once. */
const MOST_AT_ONCE = 1_000

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
  let refused = 0
  const isAllowed = (thread: string): Promise<boolean> => {
    const known = answers.get(thread)
    if (known) return known
    const answer = (async () => (await allow(thread)) === true)()
    void answer.then((is) => (is ? undefined : refused++)).catch(() => {})
    answers.set(thread, answer)
    return answer
  }
  const items: Item[] = []
  let asked = request
  for (let pages = 0; refused + pages <= MOST_REFUSED; pages++) {
    const reply = await page(asked)
    const shown: Item[] = []
    for (const item of reply.items)
      if (await isAllowed(item.thread)) shown.push('forkOf' in item ? await shownTo(item, isAllowed) : item)
    const room = request.limit - items.length
    // Read anew, as nothing else says where a shorter page ends.
    if (shown.length > room && asked.limit > Math.max(1, room)) {
      asked = { ...asked, limit: Math.ceil(asked.limit / 2) }
      continue
    }
    items.push(...shown)
    const { next } = reply
    if (!next || (await isAllowed(next.thread))) return { ...reply, items } as Reply
    const limit =
      shown.length === 0 ? Math.max(asked.limit, Math.min(asked.limit * 4, MOST_AT_ONCE)) : asked.limit
    asked = { ...request, limit, after: next } as Request
  }
  throw new CheckpointerError(
    'UNSUPPORTED',
    'Too many threads here are not for this caller. Serve each one a checkpointer of its own.',
  )
}
