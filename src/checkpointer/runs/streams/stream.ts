import { untilAborted } from '../../until-aborted.ts'
import { outcomeWrite, type StreamEntry } from './entry.ts'
import { LiveStream, type StreamGround } from './live-stream.ts'
import { cancelUnread, cannotContinue, notWanted, type GivenSource } from './opening.ts'
import { streamRules, type StreamOptions } from './options.ts'
import { replayOf, type Replay } from './replay.ts'
import { checkSource } from './source.ts'

/**
 * A stream of a run: what the journal has of it, then what its source gives. `claim` finds its entry there, or makes
 * it, when the first chunk is asked for.
 */
export function openStream<Chunk>(
  ground: StreamGround,
  claim: () => Promise<StreamEntry>,
  name: string,
  source: GivenSource<Chunk>,
  options: StreamOptions<Chunk>,
): AsyncGenerator<Chunk, void, undefined> {
  const { whenCut, maxBytes } = streamRules(options)
  if (typeof source !== 'function') {
    checkSource(source)
    if (whenCut === 'continue') throw cannotContinue()
  }
  const { signal } = ground

  async function* read(): AsyncGenerator<Chunk, void, undefined> {
    let isNeeded = false
    let entry: StreamEntry | undefined
    try {
      signal.throwIfAborted()
      entry = await claim()
      const found = entry
      const replay = await untilAborted(signal, () => replayOf(name, found, { whenCut, maxBytes }))
      const { next } = replay
      isNeeded = next.is === 'source'
      if (next.is !== 'source') yield* again(entry, replay)
      else yield* new LiveStream(ground, { name, entry, replay, source, maxBytes, ...next }).read()
    } finally {
      entry?.close()
      if (!isNeeded) await cancelUnread(source, notWanted())
    }
  }

  /** What is there, and no more. */
  async function* again(
    entry: StreamEntry,
    { chunks, next }: Replay<Chunk>,
  ): AsyncGenerator<Chunk, void, undefined> {
    let passed = 0
    try {
      for (const chunk of chunks) {
        signal.throwIfAborted()
        passed++
        yield chunk
      }
      if (next.is !== 'error') return
      entry.blame(next.error)
      throw next.error
    } finally {
      if (next.is === 'kept') entry.ifGoneOn([outcomeWrite(ground.codec, { chunks: passed, isWhole: false })])
    }
  }

  return read()
}
