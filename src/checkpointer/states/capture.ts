import type { CheckpointFields } from '../../checkpoint.ts'
import type { NewCheckpoint } from '../../operations/host.ts'
import type { Codec } from '../../state/codec.ts'
import { toBytes } from '../../state/json-bytes.ts'
import type { Json } from '../../state/json.ts'
import { storedFields } from './fields.ts'
import type { KnownState } from './known-states.ts'
import type { OrUndefined } from '../options/options.ts'

/** A state and its fields as they were at the call, on their way to become a checkpoint. */
export interface Captured {
  readonly checkpoint: Omit<NewCheckpoint, 'key' | 'id'>
  readonly state: Json
}

/** `start` is what the state most likely goes on from: then only what has changed since will travel. */
export function capture(
  codec: Codec,
  state: unknown,
  given: OrUndefined<CheckpointFields>,
  start: KnownState | undefined,
): Captured {
  const fields = storedFields(given, codec)
  const { state: next, delta } = codec.capture(state, start?.state)
  const frame =
    start && delta
      ? { base: { id: start.id, key: start.key }, body: toBytes(delta) }
      : { body: toBytes(next) }
  return { checkpoint: { createdAt: Date.now(), fields, frame }, state: next }
}
