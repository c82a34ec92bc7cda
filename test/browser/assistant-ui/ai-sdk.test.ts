import { openCheckpointer } from 'forkpoint'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Deed, Shown } from '../../support/assistant-ui-page.ts'
import { empty, freshPages } from '../../support/fresh-pages.ts'

const script = new URL('../../support/assistant-ui-page.ts', import.meta.url)

/** Loads the page with the runtime of the AI SDK anew, and does something in it. */
let load: (...deeds: Deed[]) => Promise<unknown>
/** Waits until it shows that: it comes when it has been stored, or read. */
let sees: (shown: Partial<Shown>) => Promise<void>
beforeEach(() => {
  const inPage = freshPages(script)
  load = (...deeds) => inPage.load({ page: 'ai-sdk', deeds })
  sees = (shown) => expect.poll(inPage.look, { timeout: 15_000 }).toMatchObject(shown)
})
afterEach(async () => {
  sessionStorage.removeItem('waited')
  await empty('my-agents')
})

const ask = (text: string): Deed => ({ do: 'ask', text })
const open: Deed = { do: 'open thread', at: 0 }
const [one, two] = [
  ['1/1 one', '1/1 you said one .'],
  ['1/1 two', '1/1 you said two .'],
]

it('a chat is there after a reload, and goes on', async () => {
  await load(ask('one'))
  await sees({ messages: one, threads: ['one'] })
  await load(open, ask('two'))
  await sees({ messages: [...one, ...two], asked: ['two'] })
  await load(open)
  await sees({ messages: [...one, ...two], asked: [], threads: ['one'] })
  const checkpointer = await openCheckpointer({ name: 'my-agents' })
  const threads: unknown[] = []
  for await (const { id } of checkpointer.threads())
    threads.push((await checkpointer.thread(id).namespaces()).toSorted())
  expect(threads).toEqual([['', 'ai-sdk', 'assistant-ui']])
  await checkpointer.close()
})

it('an answer whose page went in the middle of it goes on in the next one, with what was asked', async () => {
  await load(ask('one'))
  await load(open, { do: 'ask and leave', text: 'wait' })
  const messages = [...one, '1/1 wait', '1/1 you said wait .']
  await load(open, { do: 'see', text: 'wait .' })
  await sees({ messages, asked: ['wait'] })
  await load(open)
  await sees({ messages, asked: [] })
})

it('so does the first answer of a chat, and its tool is not used again', async () => {
  await load({ do: 'ask and leave', text: 'book and wait' })
  await sees({ done: ['booked'] })
  const said = ['1/1 book and wait', expect.stringContaining('you said book and wait .')]
  const seen = { messages: said, asked: ['book and wait'], done: [] }
  await load(open, { do: 'see', text: 'wait .' })
  await sees(seen)
  await load(open, ask('two'))
  await sees({
    messages: [...said, ...two],
    asked: ['two'],
    done: [],
  })
})

it('an answer that ends while another thread is shown is stored where it was asked for', async () => {
  await load(ask('one'), { do: 'ask and leave', text: 'slow' }, { do: 'new thread' }, ask('two'), {
    do: 'wait',
    for: 600,
  })
  await sees({ messages: two })
  const threads = ['two', 'one']
  await load(open)
  await sees({ messages: two, threads })
  const messages = [...one, '1/1 slow', '1/1 you said slow .']
  await load({ do: 'open thread', at: 1 })
  await sees({ messages, threads, asked: [] })
})

it('an answer that is regenerated is a branch, after a reload as well', async () => {
  await load(ask('one'))
  const branched = { messages: ['1/1 one', '2/2 you said one .'], asked: ['one'] }
  await load(open, { do: 'regenerate', at: 1 })
  await sees(branched)
  await load(open)
  await sees({ ...branched, asked: [] })
  await load(open, { do: 'switch branch', at: 1 }, ask('two'))
  await sees({
    messages: ['1/1 one', '1/2 you said one .', ...two],
  })
})

it('a message that is deleted is gone, and does not come back', async () => {
  await load(ask('one'), ask('two'))
  await load(open, { do: 'delete message', at: 3 })
  await load(open)
  await sees({ messages: [...one, '1/1 two'], asked: [] })
})
