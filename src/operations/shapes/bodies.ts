/** Whether a body that comes from elsewhere can be read: else it would become the head, and every load be refused. */
import { CheckpointerError } from '../../errors.ts'
import { parseDelta } from '../../state/delta.ts'
import { parseInSlices } from '../../state/slices/parse.ts'
import { pauses } from '../../state/slices/pause.ts'
import { checkDelta, Soundness } from '../../state/sound.ts'

/** A whole value, or what changed since a base. */
export interface Body {
  readonly base?: unknown
  readonly body: Uint8Array
}

/** Of what changed it is said as far as that can be told without its base. */
export async function areSound(bodies: readonly Body[]): Promise<boolean> {
  const pause = pauses()
  try {
    for (const { base, body } of bodies) {
      const parsed = await parseInSlices(body, pause)
      if (base) await checkDelta(parseDelta(parsed), pause)
      else await new Soundness().check(parsed, pause)
      await pause()
    }
    return true
  } catch (error) {
    if (!CheckpointerError.is(error, 'CORRUPT')) throw error
    return false
  }
}
