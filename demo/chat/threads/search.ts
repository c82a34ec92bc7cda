/** Looks through what was said in all threads. */
import type { Checkpointer } from 'forkpoint'
import { isChat } from '../agent/chat.ts'
import { folded, placesIn } from './find-text.ts'
import type { ListedThread } from './thread-list.ts'

export interface Found {
  readonly thread: string
  readonly title: string
  /** The message, by its id; the thread itself when its title was found. */
  readonly message?: string
  /** A piece of it, around what was looked for. */
  readonly excerpt: string
  /** What was looked for. */
  readonly query: string
}

const AROUND = 40
const MOST_A_THREAD = 3

/** Thread by thread, latest first; each is read only when it is its turn. */
export async function* search(
  checkpointer: Checkpointer,
  threads: readonly ListedThread[],
  query: string,
  signal: AbortSignal,
): AsyncGenerator<Found> {
  const wanted = query.trim()
  if (wanted === '') return
  const isIn = (text: string): boolean => folded(text).includes(folded(wanted))
  for (const { id, title } of threads) {
    if (signal.aborted) return
    const state = (await checkpointer.thread(id).load())?.state
    if (signal.aborted) return
    const messages = isChat(state) ? state.messages : []
    const hits = messages.filter(({ role, text }) => role !== 'tool' && isIn(text))
    if (hits.length === 0 && isIn(title)) yield { thread: id, title, excerpt: '', query: wanted }
    for (const { id: message, text } of hits.slice(-MOST_A_THREAD))
      yield { thread: id, title, message, excerpt: around(text, wanted), query: wanted }
  }
}

function around(text: string, wanted: string): string {
  const line = text.replace(/\s+/g, ' ')
  const [[start, end] = [0, 0]] = placesIn(line, wanted)
  const from = Math.max(0, start - AROUND)
  const to = Math.min(line.length, end + AROUND)
  return `${from > 0 ? '…' : ''}${line.slice(from, to).trim()}${to < line.length ? '…' : ''}`
}
