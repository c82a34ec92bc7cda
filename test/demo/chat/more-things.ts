import { expect, it } from 'vitest'
import { atRest, eventually, lastTurn, say, turns, type Chats } from './support/chats.ts'
import { serveChat } from './support/chat-site.ts'
import { serveModel } from './support/model-server.ts'
import { serveText } from './support/text-server.ts'
import { failed, useEndpoint } from './support/use-endpoint.ts'

/** What stands on parts of a browser that differ: workers in sandboxed frames, streams of a fetch, caches, scrolling. */
export function moreThings(chat: Chats): void {
  it('talks to an endpoint, tells what goes wrong there, and asks again', async () => {
    const model = await serveModel()
    try {
      const page = await chat.open()
      await useEndpoint(page, { url: model.url })
      model.fail(1)
      await say(page, 'What is six times seven?')
      await failed(page).getByText('answered 503').waitFor()
      await failed(page).getByRole('button', { name: 'Try again' }).click()
      await lastTurn(page).getByText('So it is 6 * 7 = 42.').waitFor()
      await atRest(page)
    } finally {
      await model.close()
    }
    expect(chat.complaints().filter((text) => !text.includes('503'))).toEqual([])
  })

  it('fetches what was allowed, and runs code where it reaches nothing', async () => {
    const server = await serveText()
    try {
      const page = await chat.open({ search: '?pace=1' })
      await say(page, `Fetch ${server.url}moved`)
      const question = page.getByRole('region', { name: 'The agent asks' })
      await question.getByRole('button', { name: 'Allow once' }).click()
      await lastTurn(page).getByText('leads to another address').waitFor()
      await atRest(page)
      expect(server.asked.map(({ url }) => url)).toEqual(['/moved'])
      await say(page, `Run: fetch('${server.url}code').then(() => 'REACHED', () => 'refused')`)
      await lastTurn(page).locator('.prose pre').getByText('refused', { exact: true }).waitFor()
      await atRest(page)
      await say(page, 'Find the first 5 primes')
      await lastTurn(page).getByText('2, 3, 5, 7, 11').waitFor()
      await atRest(page)
      expect(server.asked).toHaveLength(1)
    } finally {
      await server.close()
    }
    // The console tells of what was refused.
    const refused = /Content.Security.Policy|Refused|violates|blocked/i
    expect(chat.complaints().filter((text) => !refused.test(text))).toEqual([])
  })

  it('goes on from what is kept, once nothing can be reached', async () => {
    const site = await serveChat()
    let isServed = true
    try {
      const page = await chat.tab(await chat.open(), `${site.url}?pace=1`)
      await page.getByText('Ready offline').waitFor()
      await say(page, 'What is 2 + 3?')
      await lastTurn(page).getByText('It comes to 5.').waitFor()
      await atRest(page)
      // Not every browser can be told that it is offline: so there is nobody there any more.
      await site.close()
      isServed = false
      const reached = () =>
        page.evaluate(() =>
          fetch('./nowhere.js').then(
            () => 'reached',
            () => 'not reached',
          ),
        )
      expect(await reached()).toBe('not reached')
      await page.reload()
      await lastTurn(page).getByText('It comes to 5.').waitFor()
      await say(page, 'What is 3 + 3?')
      await lastTurn(page).getByText('It comes to 6.').waitFor()
      await atRest(page)
    } finally {
      if (isServed) await site.close()
    }
    expect(
      chat.complaints().filter((text) => !/nowhere|ERR_|ServiceWorker|NetworkError/i.test(text)),
    ).toEqual([])
  })

  it('draws what is seen of a long conversation, follows its end, and leads back to it', async () => {
    const page = await chat.open({ search: '?pace=0' })
    for (let i = 0; i < 12; i++) {
      await say(page, 'Hello')
      await eventually(async () => Number(await lastTurn(page).getAttribute('aria-setsize'))).toBe(2 * i + 2)
      await atRest(page)
    }
    expect(await turns(page).count()).toBeLessThan(24)
    const distance = () =>
      page
        .locator('.transcript')
        .evaluate((it) => Math.round(it.scrollHeight - it.scrollTop - it.clientHeight))
    await eventually(distance).toBe(0)
    await page.getByRole('region', { name: 'Conversation' }).hover()
    await page.mouse.wheel(0, -1_500)
    await page.getByRole('button', { name: 'To the latest' }).click()
    await eventually(distance).toBe(0)
    await page.getByRole('button', { name: 'To the latest' }).waitFor({ state: 'detached' })
  })

  it('looks into a conversation with the inspector, goes on from an earlier step, and answers again', async () => {
    const page = await chat.open({ search: '?pace=1' })
    await say(page, 'What is 2 + 3?')
    await lastTurn(page).getByText('It comes to 5.').waitFor()
    await atRest(page)
    await lastTurn(page).hover()
    await lastTurn(page).getByRole('button', { name: 'Answer again' }).click()
    await lastTurn(page).getByText('2 / 2').waitFor()
    await atRest(page)
    await say(page, 'What is 3 + 3?')
    await lastTurn(page).getByText('It comes to 6.').waitFor()
    await atRest(page)
    await page.getByRole('button', { name: 'Inspector' }).click()
    const step = (name: RegExp) =>
      page.getByRole('tree', { name: 'Checkpoints' }).getByRole('treeitem', { name }).first()
    await step(/^\d+ model/).click()
    await page.getByRole('tab', { name: 'Changes' }).click()
    await page.getByRole('tabpanel').getByText('messages').first().waitFor()
    await step(/^5 model/).click()
    await page.getByRole('button', { name: 'Load', exact: true }).click()
    await lastTurn(page).getByText('It comes to 5.').waitFor()
  })
}
