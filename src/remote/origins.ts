import type { SyncAskReply, SyncPlace, SyncWantReply } from '../operations/host.ts'
import { shownTo } from './origin.ts'

type IsAllowed = (thread: string) => boolean | PromiseLike<boolean>

/** Of where a thread comes from only what the caller is allowed. */
export async function withoutOrigins(
  reply: SyncAskReply | SyncWantReply,
  isAllowed: IsAllowed,
): Promise<SyncAskReply | SyncWantReply> {
  if ('places' in reply) {
    const places: SyncPlace[] = []
    for (const place of reply.places) places.push(await shownTo(place, isAllowed))
    return { ...reply, places }
  }
  return reply.place ? { ...reply, place: await shownTo(reply.place, isAllowed) } : reply
}
