import type { Page } from 'playwright-core'
import { afterEach, expect, it } from 'vitest'
import { account, answer, atRest, chats, lastTurn, say, turns } from './support/chats.ts'
import { serveText, type TextServer } from './support/text-server.ts'

const chat = chats()
const servers: TextServer[] = []

afterEach(() => Promise.all(servers.splice(0).map((each) => each.close())))

async function serve(): Promise<TextServer> {
  const server = await serveText()
  servers.push(server)
  return server
}

const question = (page: Page) => page.getByRole('region', { name: 'The agent asks' })

it('keeps notes with the thread', async () => {
  const page = await chat.open({ search: '?pace=1' })
  await say(page, 'Remember that <b>tea</b> is at five')
  // In what the agent says, not in what was said to it.
  await lastTurn(page).locator('.prose').getByText('<b>tea</b> is at five').waitFor()
  await atRest(page)
  await page.reload()
  await say(page, 'List my notes')
  await lastTurn(page).locator('.prose').getByText('<b>tea</b> is at five').waitFor()
  await atRest(page)
  await page.getByRole('button', { name: 'New conversation' }).click()
  await say(page, 'List my notes')
  await lastTurn(page).getByText('There are no notes.').waitFor()
})

it('fetches only what the user has allowed, also when the page was reloaded at the question', async () => {
  const { url, asked } = await serve()
  const page = await chat.open({ search: '?pace=1' })
  await say(page, `Fetch ${url}boats`)
  await question(page).getByText(`GET ${url}boats`).waitFor()
  await page.reload()
  await question(page).getByRole('button', { name: 'Don’t allow' }).click()
  await lastTurn(page).getByText('The user did not allow it.').waitFor()
  await atRest(page)
  expect(asked).toHaveLength(0)
  await say(page, `Fetch ${url}boats`)
  await question(page).getByRole('button', { name: 'Allow once' }).click()
  await lastTurn(page).getByText('Boats at nine and at ten').waitFor()
  await atRest(page)
  expect(asked.map(({ url: path, headers }) => [path, headers.cookie, headers.referer])).toEqual([
    ['/boats', undefined, undefined],
  ])
})

it('does not follow where an address leads: only that one was allowed', async () => {
  const { url, asked } = await serve()
  const page = await chat.open({ search: '?pace=1' })
  await say(page, `Fetch ${url}moved`)
  await question(page).getByRole('button', { name: 'Allow once' }).click()
  await lastTurn(page).getByText('leads to another address').waitFor()
  await atRest(page)
  expect(asked.map(({ url: path }) => path)).toEqual(['/moved'])
})

it('shows what would be sent before it is allowed', async () => {
  const { url, asked } = await serve()
  const page = await chat.open({ search: '?pace=1' })
  await say(page, `Post to ${url}orders`)
  await question(page).getByText(`POST ${url}orders`).waitFor()
  await question(page).getByLabel('What would be sent').getByText('Hello from Forkpoint').waitFor()
  await question(page).getByRole('button', { name: 'Don’t allow' }).click()
  await lastTurn(page).getByText('The user did not allow it.').waitFor()
  await atRest(page)
  expect(asked).toHaveLength(0)
})

it('shows what a tool was given as it was meant, code in its lines', async () => {
  const page = await chat.open({ search: '?pace=1' })
  await say(page, 'Find the first 5 primes')
  await lastTurn(page).getByText('2, 3, 5, 7, 11').waitFor()
  await atRest(page)
  await page.locator('summary').click()
  const [input = ''] = await page.locator('.call pre').allInnerTexts()
  expect(input.split('\n')[0]).toBe('const found = []')
  expect(input).not.toContain('\\n')
  await say(page, 'Remember that tea is at five')
  await lastTurn(page).getByText('Noted.').waitFor()
  await atRest(page)
  await page.locator('summary').last().click()
  await page.locator('.call pre').getByText('action: add\ntext: tea is at five').waitFor()
})

it('asks what became of something that was being sent when the tab was closed', async () => {
  const { url, asked } = await serve()
  const page = await chat.open({ search: '?pace=1' })
  await say(page, `Post to ${url}slow`)
  await question(page).getByRole('button', { name: 'Allow once' }).click()
  await expect.poll(() => asked.length, { timeout: 20_000 }).toBe(1)
  const address = page.url()
  await page.close()
  const other = await chat.tab(page, address)
  await account(other).getByText('The tab that ran this was closed or crashed.').waitFor()
  await question(other).getByText('Was it sent?').waitFor()
  await question(other).getByRole('button', { name: 'It was sent' }).click()
  await lastTurn(other).getByText('It had been sent').waitFor()
  await atRest(other)
  expect(asked).toHaveLength(1)
})

it('has a timer that goes on over a reload: it is over when it was to be, and not that much later', async () => {
  const page = await chat.open({ search: '?pace=1' })
  const SECONDS = 12
  await say(page, `Wait for ${SECONDS} s`)
  await turns(page).getByText('working …').waitFor()
  const began = Date.now()
  // By then one that starts over would be over at eight seconds later.
  await page.waitForTimeout(8_000)
  await page.reload()
  await account(page).getByText('The page was reloaded').waitFor()
  await turns(page).getByText('working …').waitFor()
  await lastTurn(page).getByText(`The ${SECONDS} s are over`).waitFor()
  const took = Date.now() - began
  expect(took).toBeGreaterThan((SECONDS - 1) * 1_000)
  expect(took).toBeLessThan((SECONDS + 6) * 1_000)
  await atRest(page)
})

it('runs code where it reaches no network, no storage and no page, for two seconds at most', async () => {
  const { url, asked } = await serve()
  const page = await chat.open({ search: '?pace=1' })
  await say(page, 'Find the first 5 primes')
  await lastTurn(page).getByText('2, 3, 5, 7, 11').waitFor()
  await atRest(page)
  const tries = `
    const fails = async (name, work) => {
      try { await work(); return name + ' REACHED' } catch { return name + ' refused' }
    }
    const open = (request) => new Promise((yes, no) => { request.onsuccess = yes; request.onerror = no })
    const ended = (it) => new Promise((yes, no) => { it.onopen = yes; it.onmessage = yes; it.onerror = no; it.onclose = no })
    const found = [
      await fails('fetch', () => fetch('${url}fetch')),
      await fails('xhr', () => new Promise((yes, no) => { const x = new XMLHttpRequest(); x.open('GET', '${url}xhr'); x.onload = yes; x.onerror = no; x.send() })),
      await fails('socket', () => ended(new WebSocket('${url.replace('http', 'ws')}socket'))),
      await fails('events', () => ended(new EventSource('${url}events'))),
      await fails('script', () => importScripts('${url}script')),
      await fails('module', () => import('${url}module')),
      await fails('worker', () => ended(new Worker('${url}worker'))),
      await fails('eval', () => eval('1')),
      await fails('databases', () => open(indexedDB.open('chat'))),
      await fails('caches', () => caches.open('x')),
      await fails('files', () => navigator.storage.getDirectory()),
      await fails('storage', () => localStorage.length),
      await fails('page', () => document.body),
      'origin ' + self.origin,
    ]
    return found.join('\\n')`
  await say(page, `\`\`\`js\n${tries}\n\`\`\``)
  await lastTurn(page).getByText('origin null').waitFor()
  const gave = (await lastTurn(page).locator('pre').last().innerText()).trim().split('\n')
  expect(gave.filter((line) => !line.endsWith(' refused'))).toEqual(['origin null'])
  await atRest(page)
  await say(page, 'Run: (() => { for (;;); })()')
  await lastTurn(page).getByText('it took longer than 2 s').waitFor()
  await atRest(page)
  await say(page, 'Run: no such thing')
  await lastTurn(page).getByText('That did not work').waitFor()
  await atRest(page)
  expect(asked).toHaveLength(0)
  expect(await answer(page)).toContain('SyntaxError')
  // The console tells of what was refused.
  expect(chat.complaints().filter((text) => !/Content Security Policy|Refused|violates/i.test(text))).toEqual(
    [],
  )
})
