import type { CheckpointerError } from '../errors.ts'
import type { Host } from '../operations/host.ts'
import type { KnownStates } from './states/known-states.ts'
import { onLeaving } from './left/page-end.ts'
import { behindQueue } from './queue/behind-queue.ts'
import type { LeftBehind } from './left/left-behind.ts'
import { SaveQueue } from './queue/save-queue.ts'
import { Saves } from './saving/saves.ts'
import type { Writer } from './saving/writer.ts'

/** When a save resolves; what each mode may lose is in the README. */
export type Durability = 'sync' | 'async' | 'exit'

export interface Writing {
  /** What saves go through. */
  readonly saves: Writer
  /** What all else goes through. */
  readonly host: Host
  /** Ends the watch over the page. */
  readonly stop: () => void
}

interface WritingOptions {
  readonly known: KnownStates
  /** Where a page can still put what it has, when it goes. */
  readonly left?: LeftBehind | undefined
  readonly onWarning: (warning: CheckpointerError) => void
  /** Sends what waits to be written beside the saves. */
  readonly hurry: () => void
}

/** `watch` is put before what callers reach; what was taken already is written past it. */
export function writingAs(
  durability: Durability,
  host: Host,
  watch: (host: Host) => Host,
  { known, left, onWarning, hurry }: WritingOptions,
): Writing {
  // Nobody is left to be told if that fails, and no harm is done.
  const rest = (): void => void host.rest().catch(() => {})
  if (durability === 'sync') {
    const watched = watch(host)
    const saves = new Saves(watched.save, (request) => host.save(request))
    const ends = (): void => {
      hurry()
      rest()
    }
    return { saves, host: watched, stop: onLeaving({ mayEnd: hurry, ends, isBack: () => {} }) }
  }
  const queue = new SaveQueue({ host, known, lastOnly: durability === 'exit', onWarning })
  const unlisten = onLeaving({
    mayEnd() {
      queue.hurry()
      hurry()
    },
    ends() {
      left?.put({ lists: queue.left(), session: queue.session })
      queue.hurry()
      hurry()
      rest()
      queue.rested()
    },
    isBack: () => left?.withdraw(),
  })
  const stop = (): void => {
    unlisten()
    // All of it is stored by now, or its caller was told.
    left?.withdraw()
  }
  return { saves: queue, host: watch(behindQueue(host, queue)), stop }
}
