import { checkpointAlias } from '../../storage/keys.ts'
import type { Row } from '../../storage/storage.ts'
import type { SaveName } from '../host.ts'
import { keyOf, openCheckpoint } from '../rows/checkpoint-row.ts'
import { shows } from '../rows/lanes.ts'
import type { Store } from '../store/store.ts'
import { readThread } from '../store/threads.ts'
import { unlessUnread } from '../store/unread.ts'

const AT_ONCE = 64

/** `hidden`: removed from the thread, but a fork shows it still, so that its id is taken in the lane. */
type Held = 'same' | 'another' | 'hidden' | undefined

/** For each save whether a thread shows it: as `same`, or under its id `another`. */
export async function heldOf(
  store: Store,
  thread: string,
  saves: readonly (SaveName & { readonly namespace: string })[],
): Promise<Held[]> {
  const held: Held[] = saves.map(() => undefined)
  for (const namespace of new Set(saves.map((save) => save.namespace))) {
    const row = await readThread(store, { thread, namespace })
    if (!row) continue
    const { partition, facts } = row
    const lanes = facts.segments.map(({ lane }) => lane)
    const asked = [...saves.entries()].filter(([, save]) => save.namespace === namespace)
    const most = Math.max(1, Math.floor(AT_ONCE / lanes.length))
    for (let at = 0; at < asked.length; at += most) {
      const some = asked.slice(at, at + most)
      const found = await store.storage.read(
        partition,
        some.flatMap(([, { id }]) =>
          lanes.map((lane) => ({ table: 'checkpoints', alias: checkpointAlias(lane, id) }) as const),
        ),
      )
      some.forEach(([i, save], place) => {
        const rows = found.slice(place * lanes.length, (place + 1) * lanes.length).flat()
        const shown = rows.find(({ key }) => shows(facts.segments, key[0] as string, key[1] as number))
        if (shown) held[i] = isSave(partition, shown, save) ? 'same' : 'another'
        else if (rows.some(({ key }) => key[0] === facts.lane)) held[i] = 'hidden'
      })
    }
  }
  return held
}

/** What cannot be read stands in the way of no other, but is not lost: it is taken for what it was. */
const isSave = (partition: string, row: Row, { id, key = id }: SaveName): boolean => {
  const opened = unlessUnread(() => openCheckpoint(partition, row))
  return !opened || keyOf(opened.facts) === key
}
