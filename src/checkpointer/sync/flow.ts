import type { SyncPlace } from '../../operations/host.ts'
import { NAMES, Sender } from './sender.ts'
import { heardOf, nameOf, type Flow, type Flowed } from './way.ts'

/** Sends what the other side lacks: first names, then only the rows that it asks for, a page at a time. */
export async function flow(way: Flow): Promise<Flowed> {
  const { thread, namespace, from, takerPlace, tally } = way
  const takerHeads = takerPlace?.heads ?? []
  // What the giver has, and which of it are its heads, as they are in one moment: all that follows is of that.
  const told = await from.syncWant({
    thread,
    namespace,
    names: takerHeads.map(nameOf),
    withPlace: true,
    ...heardOf(way),
  })
  const { place: giverPlace } = told
  if (!giverPlace)
    return {
      upTo: undefined,
      taken: undefined,
      heads: takerHeads.length,
      given: undefined,
      wrote: way.wroteKnown,
      filed: [0, 0],
    }
  const giverHeads = new Set(giverPlace.heads.map(({ id }) => id))
  const lacking = new Set([...told.wanted, ...told.taken])
  const past = takerHeads.filter(({ id }, i) => !lacking.has(i) && !giverHeads.has(id)).map(({ id }) => id)
  const sender = new Sender(way, giverPlace, past, await turnLeft(way, giverPlace))
  // Of a thread that was begun anew nothing is known, whatever was of the one before.
  const isSame = way.known?.[0] === giverPlace.lane
  const skip = way.skip?.lane === giverPlace.lane ? way.skip : undefined
  for (let after = isSame && way.known ? way.known[1] : 0; after < giverPlace.next - 1;) {
    tally.all.rest()
    const before = skip && after < skip.from - 1 ? Math.min(skip.from, giverPlace.next) : giverPlace.next
    if (skip && after >= skip.from - 1 && after < skip.next - 1) after = skip.next - 1
    else {
      const page = await from.syncHave({ thread, namespace, after, before, limit: NAMES })
      sender.leaveOut(page.damaged ?? [])
      await sender.send(page.names)
      after = page.last
    }
  }
  const wroteKnown = isSame ? way.wroteKnown : 0
  const { wrote = wroteKnown } = giverPlace
  if (wrote > wroteKnown) await sender.sendWrites(wroteKnown)
  await sender.end()
  return {
    upTo: [giverPlace.lane, (sender.again ?? giverPlace.next) - 1],
    taken: sender.taken,
    heads: sender.heads,
    given: sender.again === undefined ? giverPlace.heads.map(nameOf) : undefined,
    wrote: sender.isWhole ? wrote : wroteKnown,
    filed: [giverPlace.wrote ?? 0, sender.filed],
  }
}

/** The turn of a run that the giver has gone on with, and whose runner is gone where it was. */
async function turnLeft(
  { thread, namespace, takerPlace, taker }: Flow,
  giverPlace: SyncPlace,
): Promise<string | undefined> {
  const own = takerPlace?.heads[0]?.run
  const isTakenUp =
    own?.status === 'running' &&
    giverPlace.heads.some(({ run }) => run?.id === own.id && run.turn !== own.turn)
  if (!isTakenUp) return undefined
  const seen = await taker.thread(thread, { namespace }).latestRun()
  return seen?.status === 'orphaned' ? own.turn : undefined
}
