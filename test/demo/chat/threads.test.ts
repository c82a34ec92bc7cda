import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { account, atRest, chats, composer, eventually, lastTurn, say, turns } from './support/chats.ts'

const chat = chats()

const list = (page: Page) => page.getByRole('navigation', { name: 'Conversations' })
const edit = (page: Page) => page.getByRole('button', { name: 'Edit and branch' })

async function ask(page: Page, text: string, says: string): Promise<void> {
  await say(page, text)
  await lastTurn(page).getByText(says).waitFor()
  await atRest(page)
}

async function startAnew(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New conversation' }).click()
  await page.getByRole('heading', { name: 'New conversation' }).waitFor()
}

/** Keeps nothing but what is shown. */
async function prune(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Inspector', exact: true }).click()
  await page.getByRole('button', { name: 'Prune …' }).click()
  await page.getByLabel('Keep the last').fill('1')
  await page.getByRole('button', { name: /^Prune \d/ }).click()
  await page
    .getByRole('status')
    .getByText(/^Pruned/)
    .waitFor()
  await page.getByRole('button', { name: 'Close the inspector' }).click()
}

it.each([
  ['at once', false],
  ['after a reload', true],
])(
  'offers to branch only where the step is still there to branch from: %s after a prune',
  async (_when, reloads) => {
    const page = await chat.open({ search: '?pace=1' })
    await ask(page, 'What is 2 + 3?', 'It comes to 5.')
    await ask(page, 'What is 3 + 3?', 'It comes to 6.')
    await eventually(() => edit(page).count()).toBe(2)
    await prune(page)
    if (reloads) await page.reload()
    await lastTurn(page).getByText('It comes to 6.').waitFor()
    await eventually(() => edit(page).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Answer again' }).count()).toBe(0)
    // What comes from now on can be branched from again.
    await ask(page, 'What is 4 + 4?', 'It comes to 8.')
    await eventually(() => edit(page).count()).toBe(1)
    await edit(page).click()
    await page.getByRole('textbox', { name: 'Your message, edited' }).fill('What is 4 + 5?')
    await page.keyboard.press('Enter')
    await lastTurn(page).getByText('It comes to 9.').waitFor()
    await page.getByText('2 / 2').waitFor()
  },
)

it('keeps an edit where it was written when the step it goes on from was pruned meanwhile', async () => {
  const page = await chat.open({ search: '?pace=1' })
  await ask(page, 'What is 2 + 3?', 'It comes to 5.')
  await ask(page, 'What is 3 + 3?', 'It comes to 6.')
  await edit(page).first().click()
  const editor = page.getByRole('textbox', { name: 'Your message, edited' })
  await editor.fill('Written for an hour')
  // In another tab, while this one writes.
  const other = await chat.tab(page)
  await lastTurn(other).getByText('It comes to 6.').waitFor()
  await prune(other)
  await page.bringToFront()
  await editor.press('Enter')
  await account(page).getByText('was removed meanwhile').waitFor()
  await eventually(() => editor.inputValue()).toBe('Written for an hour')
  await eventually(() => turns(page).count()).toBe(6)
})

it('goes on with a conversation though something is said before it could be looked at', async () => {
  const page = await chat.open({
    search: '?pace=1',
    // The worker hears everything late, in its order.
    init: () => {
      const post = Worker.prototype.postMessage
      Worker.prototype.postMessage = function (this: Worker, ...given: unknown[]) {
        const tell = (): void => void Reflect.apply(post, this, given)
        if (localStorage.getItem('slow') === null) tell()
        else setTimeout(tell, 700)
      }
    },
  })
  await ask(page, 'Remember that tea is at five', 'Noted.')
  await page.evaluate(() => localStorage.setItem('slow', 'yes'))
  await page.reload()
  await say(page, 'List my notes')
  await page.evaluate(() => localStorage.removeItem('slow'))
  await lastTurn(page).locator('.prose').getByText('tea is at five').waitFor()
  await atRest(page)
  await eventually(() => turns(page).count()).toBe(6)
  await page.getByRole('heading', { name: 'Remember that tea is at five' }).waitFor()
})

it('keeps what was written and not sent, for each conversation, over reloads too', async () => {
  const page = await chat.open({ search: '?pace=1' })
  await ask(page, 'What is 2 + 3?', 'It comes to 5.')
  await composer(page).fill('half a thought')
  await startAnew(page)
  expect(await composer(page).inputValue()).toBe('')
  await composer(page).fill('quite another')
  await list(page).getByRole('link', { name: 'What is 2 + 3?' }).click()
  await eventually(() => composer(page).inputValue()).toBe('half a thought')
  await page.goBack()
  await eventually(() => composer(page).inputValue()).toBe('quite another')
  await page.reload()
  await eventually(() => composer(page).inputValue()).toBe('quite another')
  await list(page).getByRole('link', { name: 'What is 2 + 3?' }).click()
  await eventually(() => composer(page).inputValue()).toBe('half a thought')
  await composer(page).press('Enter')
  await lastTurn(page).getByText('I am a script').waitFor()
  await page.reload()
  await lastTurn(page).getByText('I am a script').waitFor()
  expect(await composer(page).inputValue()).toBe('')
})

it('leads to what was found each time it is chosen, marks it, and forgets it when one goes elsewhere', async () => {
  const page = await chat.open({ search: '?pace=1' })
  await ask(page, 'Remember that the Café closes at nine', 'Noted.')
  for (let i = 0; i < 4; i++) await ask(page, 'Hello', 'I step aside')
  await startAnew(page)
  await ask(page, 'What is 2 + 3?', 'It comes to 5.')
  await page.getByRole('searchbox', { name: 'Search conversations' }).fill('cafe')
  const hit = list(page).getByRole('button', { name: /^Remember.*Remember that the Café/ })
  await hit.click()
  const bubble = page.locator('.transcript .bubble', { hasText: 'Café closes' })
  const isSeen = () =>
    bubble.evaluate((it) => {
      const scroller = it.closest('.transcript')
      if (!scroller) return false
      const { top, bottom } = it.getBoundingClientRect()
      const frame = scroller.getBoundingClientRect()
      return top >= frame.top - 1 && bottom <= frame.bottom + 1
    })
  await bubble.waitFor()
  await eventually(isSeen).toBe(true)
  expect(await bubble.locator('mark').allInnerTexts()).toEqual(['Café'])
  expect(await hit.locator('mark').first().innerText()).toBe('Café')
  // Somebody goes on reading, and comes back to it by another click.
  await page.getByRole('region', { name: 'Conversation' }).hover()
  await page.mouse.wheel(0, 3_000)
  await eventually(async () => (await bubble.count()) === 0 || !(await isSeen())).toBe(true)
  await hit.click()
  await eventually(isSeen).toBe(true)
  // Elsewhere, and back again: as with any conversation, one sees its end.
  await page.getByRole('searchbox').fill('')
  await list(page).getByRole('link', { name: 'What is 2 + 3?' }).click()
  await lastTurn(page).getByText('It comes to 5.').waitFor()
  await list(page)
    .getByRole('link', { name: /^Remember/ })
    .click()
  await lastTurn(page).getByText('I step aside').waitFor()
  expect(await page.locator('.transcript mark').count()).toBe(0)
  await eventually(() =>
    page
      .locator('.transcript')
      .evaluate((it) => Math.round(it.scrollHeight - it.scrollTop - it.clientHeight)),
  ).toBe(0)
})

it('says that an answer was copied', async () => {
  const page = await chat.open({ search: '?pace=1', permissions: ['clipboard-read', 'clipboard-write'] })
  await ask(page, 'What is 2 + 3?', 'It comes to 5.')
  await page.getByRole('button', { name: 'Copy', exact: true }).click()
  await page.getByRole('button', { name: 'Copied', exact: true }).waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('It comes to')
  await page.getByRole('button', { name: 'Copy', exact: true }).waitFor()
})

it('says in its list how the runs of all tabs stand', async () => {
  const page = await chat.open({ search: '?pace=60' })
  await say(page, 'Tell me a story')
  await lastTurn(page).getByText('The keeper').waitFor()
  const other = await chat.tab(page)
  const items = other.getByRole('navigation', { name: 'Conversations' }).getByRole('listitem')
  await items.getByText('running').waitFor()
  await page.keyboard.press('Escape')
  await atRest(page)
  await items.getByText('running').waitFor({ state: 'detached' })
  await say(page, 'Fetch http://127.0.0.1:9/nothing')
  await page.getByRole('region', { name: 'The agent asks' }).waitFor()
  await items.getByText('waits for you').waitFor()
  // Also for one who comes when it has been asked.
  const late = await chat.tab(page)
  await late.getByRole('navigation').getByText('waits for you').waitFor()
})
