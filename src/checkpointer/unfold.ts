import { CheckpointerError } from '../errors.ts'
import type { Frames } from '../operations/host.ts'
import { fold, parseDelta } from '../state/delta.ts'
import type { Json } from '../state/json.ts'
import { fromBytes } from '../state/json-bytes.ts'

/** The encoded states of all frames that came, by seq. */
export function unfold({ index, bodies }: Frames): Map<number, Json> {
  const states = new Map<number, Json>()
  index.forEach(({ seq, base }, i) => {
    const body = fromBytes(bodies[i] as Uint8Array)
    if (base === undefined) {
      states.set(seq, body)
      return
    }
    const before = states.get(base)
    if (before === undefined)
      throw new CheckpointerError('CORRUPT', `Checkpoint ${seq} came without the one it is built on.`, {
        seq,
      })
    states.set(seq, fold(before, parseDelta(body)))
  })
  return states
}
