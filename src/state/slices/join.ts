import type { Pause } from './pause.ts'

/** Bytes that are copied at once: the pages of new memory are made ready meanwhile, which takes longer than the copy. */
const SLICE = 512 * 1024

/** One run of bytes out of many, copied a slice at a time. */
export async function joinInSlices(
  pieces: readonly Uint8Array[],
  pause: Pause,
): Promise<Uint8Array<ArrayBuffer>> {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let to = 0
  for (const piece of pieces)
    for (let at = 0; at < piece.length; at += SLICE) {
      const due = pause()
      if (due) await due
      const slice = piece.subarray(at, at + SLICE)
      whole.set(slice, to)
      to += slice.length
    }
  return whole
}
