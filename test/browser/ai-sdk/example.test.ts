import { openCheckpointer } from 'forkpoint'
import { expect, it, onTestFinished } from 'vitest'
import { empty, freshPages } from '../../support/fresh-pages.ts'

const script = new URL('../../support/ai-sdk-page.ts', import.meta.url)

const asked = 'Book me a flight to Lisbon.'
const begun = `${asked}|step-start|Let me see.|tool-search|step-start|tool-book|step-start|You fly `
const whole = `${begun}with TP 1351.`

it('the example goes on after a reload in mid-stream, and does nothing again', async () => {
  onTestFinished(() => empty('my-chat'))
  const { load } = freshPages(script)
  const first = { isKept: true, silentAt: 'with ', click: 'Ask', until: 'You fly ' }
  expect(await load(first)).toEqual({
    said: begun,
    status: 'streaming',
    done: ['search Lisbon', 'book TP 1351'],
    asked: 3,
  })
  const ended = { said: whole, status: 'ready', done: [], asked: 1 }
  expect(await load({ isKept: true, until: '1351.' })).toEqual(ended)
  expect(await load({ isKept: true, until: '1351.' })).toEqual({ ...ended, asked: 0 })
})

it('another answer is a branch, which outlives a reload in its midst as well, and the chat goes on', async () => {
  const checkpointer = await openCheckpointer({ name: 'my-chat' })
  onTestFinished(async () => {
    await checkpointer.close()
    await empty('my-chat')
  })
  const { load } = freshPages(script)
  await load({ isKept: true, click: 'Ask', until: '1351.' })
  await load({ isKept: true, silentAt: 'see.', click: 'Again', until: 'Let me ' })
  expect(await load({ isKept: true, until: '1351.' })).toMatchObject({ said: whole, asked: 3 })
  const more = await load({ isKept: true, click: 'Ask', until: `${whole}|${whole}` })
  expect(more).toMatchObject({ status: 'ready', done: ['search Lisbon', 'book TP 1351'] })
  const thread = checkpointer.thread('trip')
  const answers = new Set<unknown>()
  for await (const { extra } of thread.history()) if (extra) answers.add(JSON.stringify(extra))
  expect(answers.size).toBe(3)
})

it('another tab shows an answer live, and asks for nothing itself', async () => {
  onTestFinished(() => empty('my-chat'))
  const [one, two] = [freshPages(script).load, freshPages(script).load]
  await one({ isKept: true, silentAt: 'with ', click: 'Ask', until: 'You fly ' })
  const seen = await two({ isKept: true, silentAt: 'with ', until: 'You fly ' })
  expect(seen).toEqual({ said: begun, status: 'streaming', done: [], asked: 0 })
})

it('without it, a reload loses the run, and all that was said', async () => {
  const { load } = freshPages(script)
  const first = { isKept: false, silentAt: 'with ', click: 'Ask', until: 'You fly ' }
  expect(await load(first)).toMatchObject({ said: begun, status: 'streaming' })
  expect(await load({ isKept: false, until: '' })).toEqual({ said: '', status: 'ready', done: [], asked: 0 })
})
