import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { browserModel } from '../../../demo/chat/models/browser/browser.ts'
import { promptApiState, type PromptApi } from '../../../demo/chat/models/browser/prompt-api.ts'
import { tools } from '../../../demo/chat/tools/all.ts'
import { atRest, chats, eventually, lastTurn, say } from './support/chats.ts'
import { serveModel } from './support/model-server.ts'
import { useEndpoint } from './support/use-endpoint.ts'

const chat = chats()

/** All that the page has put anywhere: also what its worker has stored, and what was kept for later requests. */
const stored = (page: Page) =>
  page.evaluate(async () => {
    const all: unknown[] = [{ ...localStorage }, { ...sessionStorage }, document.cookie]
    const done = <T>(request: IDBRequest<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        request.addEventListener('success', () => resolve(request.result))
        request.addEventListener('error', () => reject(request.error ?? new Error('The read has failed.')))
      })
    for (const { name = '' } of await indexedDB.databases()) {
      const database = await done(indexedDB.open(name))
      for (const store of database.objectStoreNames)
        all.push(await done(database.transaction(store).objectStore(store).getAll()))
      database.close()
    }
    for (const name of await caches.keys()) {
      const cache = await caches.open(name)
      for (const request of await cache.keys())
        all.push(request.url, await (await cache.match(request))?.text())
    }
    const text = (_key: string, value: unknown): unknown =>
      ArrayBuffer.isView(value) ? new TextDecoder().decode(value) : value
    return JSON.stringify(all, text)
  })

it('talks to an endpoint by its address and key, shows what goes wrong there, and goes on when it is asked to', async () => {
  const model = await serveModel()
  try {
    const page = await chat.open()
    await useEndpoint(page, { url: model.url, key: 'secret' })
    await page.getByText('Ready offline').waitFor()
    model.fail(1)
    await say(page, 'What is six times seven?')
    const failed = page.getByRole('region', { name: 'The run has failed' })
    await failed.getByText('answered 503 Service Unavailable. The model is being loaded').waitFor()
    // Also for one who comes later, in another tab.
    const second = await chat.tab(page)
    await second.getByRole('region', { name: 'The run has failed' }).waitFor()
    await second.close()
    await failed.getByRole('button', { name: 'Try again' }).click()
    await lastTurn(page).getByText('So it is 6 * 7 = 42.').waitFor()
    await atRest(page)
    await failed.waitFor({ state: 'detached' })
    expect(model.asked.map(({ authorization }) => authorization)).toEqual(Array(3).fill('Bearer secret'))
    const { body } = model.asked.at(-1) ?? {}
    expect(body?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool'])
    expect(body?.tools.map(({ function: { name } }) => name)).toContain('calculator')
    // The key is in memory alone: gone with the page.
    const all = await stored(page)
    expect(all).not.toContain('secret')
    // And all was looked at: what was said stands there.
    expect(all).toContain('What is six times seven?')
    expect(all).toContain('manifest.webmanifest')
    await page.reload()
    await page.getByRole('button', { name: 'Model: small-one' }).waitFor()
    await useEndpoint(page, { url: model.url, key: 'secret', keeps: true })
    expect(await stored(page)).toContain('secret')
  } finally {
    await model.close()
  }
  expect(chat.complaints().filter((text) => !text.includes('503'))).toEqual([])
})

it('says so when there is nobody at the address', async () => {
  const gone = await serveModel()
  await gone.close()
  const page = await chat.open()
  await useEndpoint(page, { url: gone.url })
  await say(page, 'Hello')
  await page
    .getByText('could not be reached. Is it running, and does it allow this page (CORS)?')
    .first()
    .waitFor()
  await page.getByRole('button', { name: /^Model:/ }).click()
  await page.getByRole('radio', { name: /^Built-in script/ }).check()
  await page.getByRole('button', { name: 'Use it' }).click()
  await page.getByRole('button', { name: 'Try again' }).click()
  await lastTurn(page).getByText('I am a script').waitFor()
  expect(chat.complaints().filter((text) => !text.includes('ERR_CONNECTION_REFUSED'))).toEqual([])
})

it('offers the browser’s own model where there is one, and says where there is none', async () => {
  const page = await chat.open()
  const isThere = await page.evaluate(() => 'LanguageModel' in globalThis)
  await page.getByRole('button', { name: /^Model:/ }).click()
  const choice = page.getByRole('radio', { name: /^The browser’s own/ })
  await eventually(() => page.getByText('Looking …').count()).toBe(0)
  expect(await choice.isDisabled()).toBe(true)
  await page.getByText(isThere ? 'this device cannot run it' : 'This browser has none.').waitFor()
})

it('answers with the browser’s own model where there is one, which uses the tools', async () => {
  const page = await chat.open({
    init: () => {
      const asked: unknown[] = []
      const answers = [
        ['{"tool": "calculator", "input": {"expre', 'ssion": "6 * 7"}}'],
        ['So it ', 'is 42.'],
      ]
      const api = {
        availability: () => Promise.resolve('available'),
        create: () =>
          Promise.resolve({
            promptStreaming(prompts: unknown) {
              asked.push(prompts)
              return new ReadableStream({
                start(controller) {
                  for (const text of answers.shift() ?? []) controller.enqueue(text)
                  controller.close()
                },
              })
            },
            destroy: () => undefined,
          }),
      }
      Object.defineProperty(globalThis, 'LanguageModel', { value: api })
      Object.assign(globalThis, { asked })
    },
  })
  await page.getByRole('button', { name: /^Model:/ }).click()
  await page.getByText('Ready. Nothing leaves this device.').waitFor()
  await page.getByRole('radio', { name: /^The browser’s own/ }).check()
  await page.getByRole('button', { name: 'Use it' }).click()
  await page.getByRole('button', { name: 'Model: Browser’s model' }).waitFor()
  await say(page, 'What is six times seven?')
  await lastTurn(page).getByText('So it is 42.').waitFor()
  await atRest(page)
  await page.locator('.call').getByText('calculator').click()
  await page.locator('.call').getByText('6 * 7 = 42').waitFor()
  const asked = await page.evaluate(() => (globalThis as unknown as { readonly asked: unknown[] }).asked)
  expect(asked).toHaveLength(2)
  expect(JSON.stringify(asked[1])).toContain('The tool calculator gave: 6 * 7 = 42')
  // The choice outlives a reload.
  await page.reload()
  await page.getByRole('button', { name: 'Model: Browser’s model' }).waitFor()
})

it('tells the browser’s own model of the tools, passes its words on, and takes its calls', async () => {
  const prompted: unknown[] = []
  const answers = [
    ['{"tool": "calculator", ', '"input": {"expression": "1+1"}}'],
    ['It is ', 'two.'],
  ]
  const api: PromptApi = {
    availability: async () => 'available',
    async create({ initialPrompts }) {
      prompted.push(...initialPrompts)
      return {
        promptStreaming(prompts) {
          prompted.push(...prompts)
          return new ReadableStream({
            start(controller) {
              for (const text of answers.shift() ?? []) controller.enqueue(text)
              controller.close()
            },
          })
        },
        destroy: () => undefined,
      }
    },
  }
  expect(await promptApiState(api)).toMatchObject({ isThere: true })
  const model = browserModel(api)
  const request = { tools: tools.all, signal: new AbortController().signal, had: [] }
  const said: unknown[] = []
  const messages = [{ role: 'user', id: 'a', text: '1 + 1?' }] as const
  for await (const piece of model.answer({ ...request, chat: { messages: [...messages], notes: [] } }))
    said.push(piece)
  expect(said).toEqual([{ call: { id: 'call-1', tool: 'calculator', input: { expression: '1+1' } } }])
  for await (const piece of model.answer({ ...request, chat: { messages: [...messages], notes: [] } }))
    said.push(piece)
  expect(said.slice(1)).toEqual([{ text: 'It is ' }, { text: 'two.' }])
  expect(JSON.stringify(prompted)).toContain('- calculator: ')
})
