import { openCheckpointer } from 'forkpoint'
import { expect, it, onTestFinished } from 'vitest'
import type { About } from '../../support/chat-page.ts'
import { empty, freshPages } from '../../support/fresh-pages.ts'

const script = new URL('../../support/chat-page.ts', import.meta.url)

/** Pages whose store is kept so. */
function site(kept: About['kept']) {
  // A frame that is removed does not go as a page does, and may be missed.
  const open = () => openCheckpointer({ name: 'my-chats', onWarning: () => {} })
  onTestFinished(async () => {
    localStorage.removeItem('chat-42')
    await empty('my-chats')
  })
  const { load } = freshPages(script)
  /** Waits for so many messages: what a page has in hand before its store has first answered goes with it. */
  const hasStored = async (count: number): Promise<number> => {
    const checkpointer = await open()
    const state = async (): Promise<unknown> => (await checkpointer.thread('chat-42').load())?.state
    const all = { state: { messages: expect.objectContaining({ length: count }) } }
    await expect.poll(state, { timeout: 10_000 }).toMatchObject(all)
    const { bytes } = await checkpointer.usage()
    await checkpointer.close()
    return bytes
  }
  return { hasStored, load: (says: string): Promise<unknown> => load({ kept, says }) }
}

it('the example goes on after a reload in the middle of it', async () => {
  const { load, hasStored } = site('in a checkpointer')
  expect(await load('To Lisbon')).toMatchObject({ messages: ['To', 'Lisbon'], canUndo: true })
  await hasStored(2)
  expect(await load('on Monday')).toMatchObject({ messages: ['To', 'Lisbon', 'on', 'Monday'] })
})

it('without it, a reload loses what was said', async () => {
  const { load } = site('not at all')
  expect(await load('To Lisbon')).toMatchObject({ messages: ['To', 'Lisbon'] })
  expect(await load('on Monday')).toMatchObject({ messages: ['on', 'Monday'] })
})

it('over localStorage it outlives a reload, without an undo', async () => {
  const { load } = site('in localStorage')
  const first = { messages: ['To', 'Lisbon'], canUndo: false }
  expect(await load('To Lisbon')).toMatchObject(first)
  expect(await load('on Monday')).toMatchObject({ messages: ['To', 'Lisbon', 'on', 'Monday'] })
})

it('over localStorage each word writes all of the state; in a checkpointer all that is kept is not much more than one state', async () => {
  const words = Array.from({ length: 300 }, (_, n) => `word${n}`)
  const state = JSON.stringify(words).length
  const plain = site('in localStorage')
  const { written } = (await plain.load(words.join(' '))) as { written: number }
  expect(written).toBeGreaterThan(100 * state)

  const kept = site('in a checkpointer')
  expect(await kept.load(words.join(' '))).toMatchObject({ messages: words })
  const bytes = await kept.hasStored(words.length)
  expect(bytes).toBeLessThan(5 * state)
})
