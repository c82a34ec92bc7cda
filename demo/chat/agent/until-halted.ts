import type { Piece } from './draft.ts'
import { unlessLeaving } from './leaving.ts'

/**
 * Passes on what the model says until somebody has had enough, and says so as its last piece: so that it is in the
 * journal, and a run that is resumed right then does not take the half for the whole.
 */
export async function* untilHalted(source: AsyncIterable<Piece>, halt: AbortSignal): AsyncGenerator<Piece> {
  const pieces = source[Symbol.asyncIterator]()
  const halted = new Promise<'halted'>((resolve) => {
    if (halt.aborted) resolve('halted')
    halt.addEventListener('abort', () => resolve('halted'), { once: true })
  })
  try {
    for (;;) {
      const next = unlessLeaving(pieces.next())
      const came = await Promise.race([next, halted])
      if (came === 'halted') {
        // It is told to end, and whether it does is no concern of ours.
        next.catch(() => {})
        yield { stopped: true }
        return
      }
      if (came.done) return
      yield came.value
    }
  } finally {
    void pieces.return?.().catch(() => {})
  }
}
