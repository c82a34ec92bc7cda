import type { CheckpointInfo } from '../../checkpoint.ts'
import { CheckpointerError } from '../../errors.ts'
import type { Fenced, Place, SaveRequest } from '../../operations/host.ts'
import { newId } from '../new-id.ts'
import { checkIdAt, checkOptions, checkRef, type Names } from '../options/options.ts'
import { withoutUndefined } from '../options/without-undefined.ts'
import type { Send } from '../saving/writer.ts'
import { capture } from '../states/capture.ts'
import { FIELDS, toInfo } from '../states/fields.ts'
import type { KnownState } from '../states/known-states.ts'
import type { Shared } from './shared.ts'
import type { SaveOptions } from './types.ts'

const SAVE: Names<SaveOptions> = { ...FIELDS, id: true, parent: true, expect: true }

const EXPECT_UNDEFINED =
  'expect is undefined: use `head?.seq ?? null` or `head?.id ?? null`, where null is for no head; or leave expect out.'

/** What comes with a save beside its state. */
interface Beside {
  readonly retention: SaveRequest['retention'] | undefined
  /** What comes in the same commit. */
  readonly beside?: Pick<SaveRequest, 'run' | 'writes'>
}

/** Sends what was captured, before it returns. Called again it sends the same, which is recognised if it was stored. */
type SendCaptured = (fence: Fenced, send: Send) => Promise<CheckpointInfo>

/** Captures a state, at the call. */
export function captured(
  { codec, known, unsure }: Shared,
  place: Place,
  state: unknown,
  given: SaveOptions,
  { retention, beside }: Beside,
): SendCaptured {
  const options = checkOptions('save', given, SAVE)
  const { parent, expect } = options
  if (parent !== undefined && parent !== null) checkRef('parent', parent, 'a seq, an id or null')
  if ('expect' in options && expect === undefined)
    throw new CheckpointerError('INVALID', EXPECT_UNDEFINED, { path: 'expect' })
  if (expect !== undefined && expect !== null) checkRef('expect', expect, 'a seq, an id or null')
  const start = known.find(place, parent ?? undefined) ?? known.find(place)
  if (options.id !== undefined) checkIdAt('id', 'id', options.id)
  const { checkpoint, state: encoded } = capture(codec, state, options, start)
  const asked = JSON.stringify({ fields: checkpoint.fields, parent, expect, id: options.id })
  const fresh = { key: newId(), asked, state: encoded }
  return (fence, send) =>
    unsure.save.call(place, fresh, async ({ key }, again) => {
      if (!again) unsure.changed(place)
      const next: KnownState = { id: options.id ?? key, key, state: encoded }
      const request: SaveRequest = {
        ...place,
        ...fence,
        ...checkpoint,
        ...beside,
        key,
        ...withoutUndefined({ id: options.id, parent, expect, retention }),
        ...(again ? { retry: true } : {}),
      }
      known.add(place, next, true)
      try {
        const saved = await send({ request, state: encoded, start })
        known.placed(place, key, saved.seq)
        return toInfo(codec, place, saved)
      } catch (error) {
        known.forget(place, key)
        throw error
      }
    })
}
