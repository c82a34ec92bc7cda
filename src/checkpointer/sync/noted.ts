/** What is noted of a sync, so that the next one has less to do. */
import type { SyncAskReply, SyncNote, SyncPlace } from '../../operations/host.ts'
import type { Flowed, Stretch } from './way.ts'

export function stampsOf(
  { stamp: mine }: SyncAskReply,
  { stamp: theirs }: SyncAskReply,
): Pick<SyncNote, 'mine' | 'theirs'> {
  return { ...(mine === undefined ? {} : { mine }), ...(theirs === undefined ? {} : { theirs }) }
}

/** It was put back to a copy from before what was noted of it: what was brought to it since may be gone. */
export const isBefore = (
  place: SyncPlace | undefined,
  [lane, seq]: readonly [string, number],
  filed = 0,
): boolean => place?.lane === lane && (seq >= place.next || (place.wrote ?? 0) < filed)

/** Each stands where the other knew all of it, with the same head and the same of its run: nothing is to be brought over. */
export function isAsNoted(
  own: SyncPlace | undefined,
  other: SyncPlace | undefined,
  { mine, theirs, wrote = [0, 0], heads = [] }: SyncNote['places'][number],
): boolean {
  const [head, ...more] = own?.heads ?? []
  const [same, ...others] = other?.heads ?? []
  if (!own || !other || !head || !same || more.length + others.length > 0) return false
  const areOne = head.id === same.id && JSON.stringify(head.run) === JSON.stringify(same.run)
  return (
    areOne &&
    heads.some(({ id }) => id === head.id) &&
    isKnown(own, mine, wrote[0]) &&
    isKnown(other, theirs, wrote[1])
  )
}

const isKnown = (place: SyncPlace, [lane, seq]: readonly [string, number], wrote: number): boolean =>
  place.lane === lane && place.next === seq + 1 && (place.wrote ?? 0) <= wrote

/** What was taken in stands behind all that was there: then the other side, from where it came, knows that too. */
export function noted(
  namespace: string,
  known: SyncNote['places'][number] | undefined,
  pulled: Flowed | undefined,
  pushed: Flowed | undefined,
): SyncNote['places'][number] | undefined {
  const theirs = beyond(pulled?.upTo ?? known?.theirs, pushed?.taken)
  const mine = beyond(pushed?.upTo ?? known?.mine, pushed ? undefined : pulled?.taken)
  if (!mine && !theirs) return undefined
  const wrote = [pushed?.wrote ?? known?.wrote?.[0] ?? 0, pulled?.wrote ?? known?.wrote?.[1] ?? 0] as const
  const [theirFiled, myFiled] = pulled?.filed ?? [0, 0]
  const filed = pushed?.filed ?? ([myFiled, theirFiled] as const)
  // Those of both: of what one side alone had saved, the heads of the other tell nothing.
  const heads = [
    ...new Map([pulled, pushed].flatMap((each) => each?.given ?? []).map((head) => [head.id, head])).values(),
  ]
  return {
    namespace,
    mine: mine ?? ['', 0],
    theirs: theirs ?? ['', 0],
    heads,
    ...(wrote[0] + wrote[1] > 0 ? { wrote } : {}),
    filed,
  }
}

function beyond(
  upTo: readonly [lane: string, seq: number] | undefined,
  taken: (Stretch & { readonly lane: string }) | undefined,
): readonly [lane: string, seq: number] | undefined {
  if (!taken) return upTo
  if (!upTo) return taken.from === 1 ? [taken.lane, taken.next - 1] : undefined
  return taken.lane === upTo[0] && taken.from === upTo[1] + 1 ? [upTo[0], taken.next - 1] : upTo
}
