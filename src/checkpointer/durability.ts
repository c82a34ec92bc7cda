import type { CheckpointerError } from '../errors.ts'
import type { Host } from '../operations/host.ts'
import type { KnownStates } from './states/known-states.ts'
import { onLeaving } from './left/page-end.ts'
import type { LeftBehind } from './left/left-behind.ts'
import { Saves } from './saving/saves.ts'
import type { Writer } from './saving/writer.ts'

/** When a save resolves; what each mode may lose is in the README. */
export type Durability = 'sync' | 'async' | 'exit'

interface Writing {
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
  /** Saves what was held back; before all else, so that it goes with the rest. */
  readonly saveHeld: () => void
  /** Sends what waits to be written beside the saves. */
  readonly hurry: () => void
}

/** `watch` is put before what callers reach; what was taken already is written past it. */
export type WritingAs = (host: Host, watch: (host: Host) => Host, options: WritingOptions) => Writing

/** Nobody is left to be told if that fails, and no harm is done. */
export const rest = (host: Host): void => void host.rest().catch(() => {})

/** Each save waits until it is durable. */
export const writingAtOnce: WritingAs = (host, watch, { saveHeld, hurry }) => {
  const watched = watch(host)
  const saves = new Saves(watched.save, (request) => host.save(request))
  const mayEnd = (): void => {
    saveHeld()
    hurry()
  }
  const ends = (): void => {
    mayEnd()
    rest(host)
  }
  return { saves, host: watched, stop: onLeaving({ mayEnd, ends, isBack: () => {} }) }
}
