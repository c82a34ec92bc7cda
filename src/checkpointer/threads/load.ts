import type { Checkpoint, PendingWrite } from '../../checkpoint.ts'
import type { Codec } from '../../state/codec.ts'
import { CheckpointerError } from '../../errors.ts'
import type { At, Place, StoredRun, StoredWrite } from '../../operations/host.ts'
import { fromBytes } from '../../state/json-bytes.ts'
import { pauses } from '../../state/slices/pause.ts'
import { checkFunction, checkOptions, checkSignal, type Names } from '../options/options.ts'
import { toInfo } from '../states/fields.ts'
import type { KnownState } from '../states/known-states.ts'
import { unfold } from '../states/unfold.ts'
import { untilAborted } from '../until-aborted.ts'
import type { Shared } from './shared.ts'
import type { LoadOptions } from './types.ts'
import { refOf } from './which.ts'

const LOAD: Names<LoadOptions> = { signal: true, onProgress: true }

interface Loaded<State> {
  readonly checkpoint: Checkpoint<State>
  readonly known: KnownState
  /** The latest run of the namespace. */
  readonly run?: StoredRun
}

export function checkLoad(given: LoadOptions): LoadOptions {
  const options = checkOptions('load', given, LOAD)
  checkSignal(options.signal)
  checkFunction('onProgress', options.onProgress)
  return options
}

/** A checkpoint, the head when none is named; with its encoded state, which the next save may start from. */
export async function load<State>(
  { host, codec, known, unsure }: Shared,
  place: Place,
  at: At | undefined,
  { signal, onProgress }: LoadOptions = {},
): Promise<Loaded<State> | undefined> {
  const shown = at ? undefined : unsure.looking(place, known.find(place)?.key)
  const ref = at && refOf(at)
  const mine = at && ref === undefined ? undefined : known.find(place, ref)
  const request = { ...place, ...(at ? { at } : {}), ...(mine ? { known: mine.key } : {}) }
  const reply = await untilAborted(signal, () => host.load(request))
  shown?.(reply?.info.key ?? reply?.info.id)
  if (!reply) return undefined
  const { info, frames, writes } = reply
  const pause = pauses(signal)
  const state = frames ? (await unfold(frames, pause, onProgress)).get(info.seq) : mine?.state
  if (state === undefined)
    throw new CheckpointerError('CORRUPT', `Checkpoint ${info.seq} came without its state.`, {
      ...place,
      seq: info.seq,
    })
  const now: KnownState = { id: info.id, key: info.key ?? info.id, seq: info.seq, state }
  known.add(place, now, at === undefined)
  return {
    checkpoint: {
      ...toInfo(codec, place, info),
      state: (await codec.decodeInSlices(state, pause)) as State,
      pendingWrites: writes.map((write) => toPendingWrite(codec, write)),
    },
    known: now,
    ...(reply.run ? { run: reply.run } : {}),
  }
}

export const toPendingWrite = (
  codec: Codec,
  { taskId, index, channel, body }: StoredWrite,
): PendingWrite => ({
  taskId,
  index,
  channel,
  value: codec.decode(fromBytes(body)),
})
