import { pause } from '../../tools/pause.ts'
import type { Piece } from '../../agent/draft.ts'

/** Slow enough to be watched; `?pace=` in the address says otherwise, in milliseconds a word. */
const PACE_MS = 45

/** Says a text word by word, beginning behind what was said before. */
export async function* speak(text: string, said: string, signal: AbortSignal): AsyncGenerator<Piece> {
  const pace = Number(new URLSearchParams(location.search).get('pace') ?? PACE_MS)
  for (const word of text.slice(said.length).match(/\s*\S+|\s+$/g) ?? []) {
    await pause(pace, signal)
    yield { text: word }
  }
}
