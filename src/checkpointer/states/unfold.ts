import { CheckpointerError } from '../../errors.ts'
import type { Frames } from '../../operations/host.ts'
import { fold, parseDelta } from '../../state/delta.ts'
import type { Json } from '../../state/json.ts'
import { fromBytes } from '../../state/json-bytes.ts'
import { parseInSlices } from '../../state/slices/parse.ts'
import type { Pause } from '../../state/slices/pause.ts'

/** Less than this is done at once: to make slices of it takes longer than it does. */
const WORTH_SLICING = 2 * 1024 * 1024

/** The encoded states of all frames that came, by seq. `onProgress` is told how many bytes are done, and of how many. */
export async function unfold(
  { index, bodies }: Frames,
  pause: Pause,
  onProgress?: (done: number, total: number) => void,
): Promise<Map<number, Json>> {
  const total = bodies.reduce((sum, { length }) => sum + length, 0)
  let done = 0
  const states = new Map<number, Json>()
  for (const [i, { seq, base }] of index.entries()) {
    const due = pause()
    if (due) await due
    const bytes = bodies[i] as Uint8Array
    const body = bytes.length < WORTH_SLICING ? fromBytes(bytes) : await parseInSlices(bytes, pause)
    done += bytes.length
    onProgress?.(done, total)
    if (base === undefined) {
      states.set(seq, body)
      continue
    }
    const before = states.get(base)
    if (before === undefined)
      throw new CheckpointerError('CORRUPT', `Checkpoint ${seq} came without the one it is built on.`, {
        seq,
      })
    states.set(seq, fold(before, parseDelta(body)))
  }
  return states
}
