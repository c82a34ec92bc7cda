/** The agent's loop. What it has noted stands in its state, so that it goes on after anything. */
import type { Loop } from 'forkpoint'
import { bestSentence, readPage, type Page } from './reading.ts'

export interface Notes {
  readonly tab: number
  /** What was read, once it was. */
  page?: Page
  notes: string[]
  /** How often it was taken up again after its service worker had died. */
  resumed: number
}

/** What a model takes for a note, or so. */
const THINKING = 1_500

export const newNotes = (tab: number): Notes => ({ tab, notes: [], resumed: 0 })

export async function takeNotes(loop: Loop<Notes>): Promise<void> {
  const { state } = loop
  if (loop.began === 'resumed') state.resumed++
  if (!state.page) {
    state.page = await loop.step('read', () => readPage(state.tab))
    await save(loop, 'read')
  }
  const { parts } = state.page
  while (state.notes.length < parts.length) {
    const part = parts[state.notes.length] ?? ''
    const note = await loop.step(`note ${state.notes.length + 1}`, () => think(part, parts))
    state.notes.push(note)
    await save(loop, 'note')
  }
}

const save = (loop: Loop<Notes>, node: string): Promise<unknown> =>
  loop.save({ node, step: loop.state.notes.length, extra: { title: loop.state.page?.title ?? '' } })

/** Stands for a model. */
async function think(part: string, all: readonly string[]): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, THINKING))
  return bestSentence(part, all)
}
