import { openCheckpointer } from 'forkpoint'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { About, Deed, Shown } from '../../support/assistant-ui-page.ts'
import { empty, freshPages } from '../../support/fresh-pages.ts'

const script = new URL('../../support/assistant-ui-page.ts', import.meta.url)

/** Loads the page anew, and does something in it. */
let load: (page: About['page'], ...deeds: Deed[]) => Promise<unknown>
/** Waits until it shows that: it comes when it has been stored, or read. */
let sees: (shown: Partial<Shown>) => Promise<void>
beforeEach(() => {
  const inPage = freshPages(script)
  load = (page, ...deeds) => inPage.load({ page, deeds })
  sees = (shown) => expect.poll(inPage.look, { timeout: 15_000 }).toMatchObject(shown)
})
afterEach(async () => {
  sessionStorage.removeItem('waited')
  for (const name of ['my-chat', 'my-chats']) await empty(name)
})

const ask = (text: string): Deed => ({ do: 'ask', text })

describe('a chat', () => {
  it('is there after a reload, and goes on', async () => {
    await load('page', ask('one'))
    await load('page', ask('two'))
    await sees({
      messages: ['1/1 one', '1/1 1: you said one', '1/1 two', '1/1 3: you said two'],
      asked: ['two'],
    })
    await load('page')
    await sees({
      messages: ['1/1 one', '1/1 1: you said one', '1/1 two', '1/1 3: you said two'],
      asked: [],
    })
  })

  it('without the history, a reload loses it', async () => {
    await load('without', ask('one'))
    await sees({ messages: ['1/1 one', '1/1 1: you said one'] })
    await load('without')
    await sees({ messages: [] })
  })

  it('whose page goes in the middle of an answer gives it anew in the next one, once', async () => {
    await load('page', ask('one'), { do: 'ask and leave', text: 'wait' })
    const messages = ['1/1 one', '1/1 1: you said one', '1/1 wait', '1/1 3: you said wait']
    await load('page')
    await sees({ messages, asked: ['wait'] })
    await load('page')
    await sees({ messages, asked: [] })
  })

  it('asks for the latest answer again when that is regenerated, in the page that gave it or another', async () => {
    const again: Deed = { do: 'regenerate', at: 1 }
    await load('page', ask('one'), again)
    await sees({
      messages: ['1/1 one', '2/2 1: you said one'],
      asked: ['one', 'one'],
    })
    await load('page', again)
    await sees({
      messages: ['1/1 one', '3/3 1: you said one'],
      asked: ['one'],
    })
  })

  it('keeps its branches: edits and other answers, in any page', async () => {
    await load('page', ask('one'), ask('two'))
    await load('page', { do: 'edit', at: 2, text: 'three' })
    await load('page', { do: 'regenerate', at: 1 })
    const branched = { messages: ['1/1 one', '2/2 1: you said one'] }
    await load('page')
    await sees(branched)
    // Of the branches below one that it comes back to, assistant-ui shows the first.
    const gone = { messages: ['1/1 one', '1/2 1: you said one', '1/2 two', '1/1 3: you said two'] }
    await load('page', { do: 'switch branch', at: 1 })
    await sees(gone)
    const messages = [...gone.messages, '1/1 four', '1/1 5: you said four']
    await load('page', { do: 'switch branch', at: 1 }, ask('four'))
    await sees({ messages })
    await load('page')
    await sees({ messages })
    const [first, second] = messages
    await load('page', { do: 'switch to the next branch', at: 2 })
    await sees({
      messages: [first, second, '2/2 three', '1/1 3: you said three'],
    })
  })

  it('forgets a message that is deleted', async () => {
    await load('page', ask('one'), ask('two'), { do: 'delete message', at: 1 })
    await load('page')
    await sees({ messages: ['1/1 one', '1/1 two', '1/1 3: you said two'] })
  })
})

describe('a list of chats', () => {
  it('is there after a reload, each with its messages and a title', async () => {
    await load('list', ask('Plan a trip'), { do: 'new thread' }, ask('Write a poem'))
    await load('list')
    await sees({ messages: [], threads: ['Write a poem', 'Plan a trip'] })
    await load('list', { do: 'open thread', at: 1 })
    await sees({
      messages: ['1/1 Plan a trip', '1/1 1: you said Plan a trip'],
    })
    await load('list', { do: 'open thread', at: 1 }, ask('two'), { do: 'open thread', at: 0 })
    await sees({ messages: ['1/1 Write a poem', '1/1 1: you said Write a poem'] })
    await load('list', { do: 'open thread', at: 0 })
    await sees({
      threads: ['Plan a trip', 'Write a poem'],
      messages: ['1/1 Plan a trip', '1/1 1: you said Plan a trip', '1/1 two', '1/1 3: you said two'],
    })
  })

  it('goes on with an answer that was cut off when its thread is opened', async () => {
    await load('list', ask('one'), { do: 'ask and leave', text: 'wait' })
    await load('list', { do: 'open thread', at: 0 })
    await sees({
      messages: ['1/1 one', '1/1 1: you said one', '1/1 wait', '1/1 3: you said wait'],
      asked: ['wait'],
    })
  })

  it('so it does with the first answer of a chat', async () => {
    const messages = ['1/1 wait', '1/1 1: you said wait']
    await load('list', { do: 'ask and leave', text: 'wait' })
    await load('list', { do: 'open thread', at: 0 }, { do: 'see', text: 'you said wait' })
    await sees({ messages, asked: ['wait'] })
    await load('list', { do: 'open thread', at: 0 })
    await sees({ messages, asked: [] })
  })

  it('leaves nothing of a chat that is deleted while it is made', async () => {
    await load('list', { do: 'ask and delete', text: 'one' }, { do: 'wait', for: 500 })
    await sees({ threads: [] })
    const checkpointer = await openCheckpointer({ name: 'my-chats' })
    for await (const { id } of checkpointer.threads()) throw new Error(`${id} is there`)
    await checkpointer.close()
  })

  it('shows in one tab what another does, with the example that is shown', async () => {
    await load('list', ask('one'))
    const other = freshPages(script)
    const inOther = (...deeds: Deed[]) => other.load({ page: 'tabs', deeds })
    const seen = inOther(
      { do: 'open thread', at: 0 },
      { do: 'see messages', count: 4 },
      { do: 'see threads', count: 2 },
    )
    await load('list', { do: 'open thread', at: 0 }, ask('two'), { do: 'new thread' }, ask('three'))
    const messages = ['1/1 one', '1/1 1: you said one', '1/1 two', '1/1 3: you said two']
    await seen
    await expect.poll(other.look).toMatchObject({ messages, threads: ['three', 'one'], asked: [] })
  })

  it('keeps names, and what is archived and deleted', async () => {
    await load('list', ask('a'), { do: 'new thread' }, ask('b'), { do: 'new thread' }, ask('c'))
    await load('list', { do: 'rename', at: 0 }, { do: 'archive', at: 1 }, { do: 'delete', at: 1 })
    await load('list')
    await sees({ threads: ['renamed'], archived: ['b'] })
  })
})
