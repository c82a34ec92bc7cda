import type { Page } from 'playwright-core'
import { afterEach, expect, it } from 'vitest'
import { BLOCKED, isBlocked } from '../../../demo/chat/models/endpoint/reach.ts'
import { account, answer, atRest, chats, eventually, lastTurn, say, turns } from './support/chats.ts'
import * as server from './support/model-server.ts'
import { failed, useEndpoint } from './support/use-endpoint.ts'

const chat = chats()
const servers: server.ModelServer[] = []

afterEach(() => Promise.all(servers.splice(0).map((each) => each.close())))

/** A page whose model answers like this. */
async function open(reply: server.Reply, key?: string): Promise<{ page: Page; model: server.ModelServer }> {
  const model = await server.serveModel(reply)
  servers.push(model)
  const page = await chat.open()
  await useEndpoint(page, { url: model.url, ...(key === undefined ? {} : { key }) })
  return { page, model }
}

/** The console tells of requests that went wrong: what it says of anything else is complained of. */
const heard = (...expected: readonly RegExp[]): void =>
  expect(chat.complaints().filter((text) => !expected.some((each) => each.test(text)))).toEqual([])

const call = (index: number, id: string, expression: string) => ({
  tool_calls: [{ index, id, function: { name: 'calculator', arguments: JSON.stringify({ expression }) } }],
})

it.each([
  ['empty', ['', '']],
  ['the same', ['one', 'one']],
] as const)('does each call though the server gives %s ids', async (_what, [first, second]) => {
  const { page, model } = await open(({ body: { messages } }, response) => {
    const results = messages.filter(({ role }) => role === 'tool')
    if (results.length > 0) server.say(response, `Got ${results.map(({ content }) => content).join(', ')}.`)
    else {
      server.send(response, [call(0, first, '1 + 1'), call(1, second, '2 + 2')], 'tool_calls')
      response.end('data: [DONE]\n\n')
    }
  })
  await say(page, 'Both, please')
  await lastTurn(page).getByText('Got 1 + 1 = 2, 2 + 2 = 4.').waitFor()
  await atRest(page)
  const { messages } = model.asked.at(-1)?.body ?? { messages: [] }
  const asked = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id))
  expect(new Set(asked).size).toBe(2)
  expect(asked).not.toContain('')
  expect(messages.flatMap(({ tool_call_id }) => tool_call_id ?? [])).toEqual(asked)
  await eventually(() => page.getByText('done', { exact: true }).count()).toBe(2)
})

it.each([
  ['ends without a word', (response) => void response.end(), 'has broken off in the middle of its answer.'],
  ['is reset', (response) => void response.socket?.destroy(), 'was lost in the middle of the answer.'],
  [
    'tells of a fault of the server',
    (response) => {
      server.write(response, { error: { code: 500, message: 'out of memory' } })
      response.end()
    },
    'has failed: out of memory',
  ],
] as const satisfies readonly (readonly [string, (response: Parameters<server.Reply>[1]) => void, string])[])(
  'shows what had come of an answer whose stream %s, says why, and asks again when it is told to',
  async (_what, end, says) => {
    const { page, model } = await open(async (_asked, response, nth) => {
      if (nth > 1) return server.say(response, 'The whole of it.')
      server.send(response, server.words('Half of a sentence that'))
      // It is to be seen before it goes wrong.
      await new Promise((resolve) => void setTimeout(resolve, 500))
      end(response)
    })
    await say(page, 'Tell me')
    await failed(page).getByText(says).waitFor()
    expect(await failed(page).innerText()).not.toContain('Error:')
    await lastTurn(page).getByText('Half of a sentence that').waitFor()
    await page.reload()
    await failed(page).getByRole('button', { name: 'Try again' }).click()
    await eventually(() => answer(page)).toBe('The whole of it.')
    await atRest(page)
    await failed(page).waitFor({ state: 'detached' })
    expect(model.asked).toHaveLength(2)
    heard(/ERR_(CONNECTION_RESET|INCOMPLETE_CHUNKED_ENCODING|EMPTY_RESPONSE)/)
  },
)

it('says that the model has reached its limit, does no half calls, and goes on when it is asked to', async () => {
  const { page, model } = await open(({ body: { messages } }, response) => {
    if (messages.at(-1)?.content === 'Go on') return server.say(response, 'and the second half.')
    server.send(response, [...server.words('The first half '), call(0, 'one', '1 +')], 'length')
    response.end('data: [DONE]\n\n')
  })
  await say(page, 'Tell me')
  await lastTurn(page).getByText('The model has reached its limit here').waitFor()
  await atRest(page)
  expect(await page.locator('.call').count()).toBe(0)
  await page.reload()
  await lastTurn(page).getByRole('button', { name: 'Go on' }).click()
  await eventually(() => answer(page)).toBe('and the second half.')
  await atRest(page)
  expect(model.asked).toHaveLength(2)
})

it('says that it was asked again after a reload, as it cannot go on in the middle', async () => {
  const { page, model } = await open(async (_asked, response, nth) => {
    server.send(response, server.words(nth === 1 ? 'The first try' : 'The second try'))
    if (nth > 1) server.send(response, [], 'stop')
    if (nth > 1) response.end()
  })
  await say(page, 'Tell me')
  await lastTurn(page).getByText('The first try').waitFor()
  await page.reload()
  await account(page).getByText('so it was asked again').waitFor()
  expect(await account(page).innerText()).not.toContain('nothing was lost')
  await atRest(page)
  expect(await answer(page)).toBe('The second try')
  await lastTurn(page).getByText('Cut off once, and asked for again.').waitFor()
  expect(model.asked).toHaveLength(2)
  expect(await turns(page).count()).toBe(2)
})

it('asks for a key that went with the page, sends nothing without it, and goes on with it', async () => {
  const { page, model } = await open(async (_asked, response, nth) => {
    if (nth > 1) return server.say(response, 'Done.')
    server.send(response, server.words('The first try'))
  }, 'secret')
  await say(page, 'Tell me')
  await lastTurn(page).getByText('The first try').waitFor()
  await page.reload()
  await account(page).getByText('The key of the model was kept in memory alone').waitFor()
  expect(await page.getByRole('region', { name: 'Running elsewhere' }).count()).toBe(0)
  await account(page).getByRole('button', { name: 'Give the key' }).click()
  await page.getByLabel('Key, if it wants one').fill('another')
  await page.getByRole('button', { name: 'Use it' }).click()
  await eventually(() => answer(page)).toBe('Done.')
  await atRest(page)
  expect(model.asked.map(({ authorization }) => authorization)).toEqual(['Bearer secret', 'Bearer another'])
  // And what is said without it stays where it was written.
  await page.reload()
  await say(page, 'One more thing')
  await account(page).getByText('The key of the model').waitFor()
  await eventually(() => page.getByRole('textbox', { name: 'Message', exact: true }).inputValue()).toBe(
    'One more thing',
  )
  expect(model.asked).toHaveLength(2)
})

it('reaches a model on another machine by plain HTTP', async () => {
  const { page, model } = await open((_asked, response) => server.say(response, 'Here I am.'))
  // By another name than localhost, as a machine of the house has.
  await useEndpoint(page, { url: `http://box.localhost:${model.port}/v1` })
  await say(page, 'Are you there?')
  await lastTurn(page).getByText('Here I am.').waitFor()
  await atRest(page)
})

it('knows what a page that came over HTTPS may not reach', () => {
  const secure = { protocol: 'https:' }
  expect(isBlocked('http://192.168.1.5:11434/v1', secure)).toBe(true)
  expect(isBlocked('http://192.168.1.5:11434/v1', { protocol: 'http:' })).toBe(false)
  for (const near of [
    'https://a.example/v1',
    'http://localhost:1/',
    'http://127.0.0.1:1/',
    'http://[::1]:1/',
    'nonsense',
  ])
    expect(isBlocked(near, secure)).toBe(false)
  expect(BLOCKED).toContain('https')
})
