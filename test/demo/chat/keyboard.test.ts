import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { atRest, chats, composer, eventually, lastTurn, say } from './support/chats.ts'

const chat = chats()

it('can be used by keyboard alone', { timeout: 90_000 }, async () => {
  const page = await chat.open({ search: '?pace=30' })
  const focused = () =>
    page.evaluate(() => document.activeElement?.ariaLabel ?? document.activeElement?.textContent ?? '')
  const tabTo = async (name: string, key = 'Tab'): Promise<void> => {
    for (let i = 0; i < 40; i++) {
      if ((await focused()).startsWith(name)) return
      await page.keyboard.press(key)
    }
    throw new Error(`${key} does not lead to ${name}.`)
  }
  // The place to write has the focus from the start.
  await eventually(focused).toBe('Message')
  await page.keyboard.type('Tell me a story')
  await page.keyboard.press('Enter')
  await lastTurn(page).getByText('The keeper').waitFor()
  await page.keyboard.press('Escape')
  await lastTurn(page).getByText('Stopped here.').waitFor()
  await atRest(page)
  await tabTo('Edit and branch', 'Shift+Tab')
  await page.keyboard.press('Enter')
  await eventually(focused).toBe('Your message, edited')
  await page.keyboard.press('Control+A')
  await page.keyboard.type('What is 1 + 1?')
  await page.keyboard.press('Enter')
  await lastTurn(page).getByText('It comes to 2.').waitFor()
  await atRest(page)
  await tabTo('Previous message', 'Shift+Tab')
  await page.keyboard.press('Enter')
  await lastTurn(page).getByText('Stopped here.').waitFor()
  await page.keyboard.press('Control+K')
  await eventually(focused).toBe('Search conversations')
  await page.keyboard.type('story')
  await page.getByText(/\d found/).waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await tabTo('Model: Built-in script')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await tabTo('Inspector')
  await page.keyboard.press('Enter')
  await page.getByRole('tree', { name: 'Checkpoints' }).waitFor()
})

it('tells a screen reader each sentence once, as it is complete, and nothing of what was there before', async () => {
  const page = await chat.open({ search: '?pace=8' })
  const log = page.getByRole('log', { name: 'What the agent says' })
  await say(page, 'Tell me a story')
  await log.getByText('The keeper of the lighthouse wrote everything down.').waitFor()
  await atRest(page)
  const said = (await log.innerText()).replace(/\s+/g, ' ')
  expect(said.match(/The keeper of the lighthouse/g)).toHaveLength(1)
  expect(said).toContain('The clerk took the books to the town')
  const parts = await log.locator('p').count()
  expect(parts).toBeGreaterThan(3)
  // Not even for the moment between its end and the word of that.
  expect(said).not.toContain('another tab')
  await page.reload()
  await lastTurn(page).waitFor()
  await composer(page).waitFor()
  expect(await log.locator('p').count()).toBe(0)
})

it('tells a screen reader what runs elsewhere, and what is asked while something lies over the conversation', async () => {
  const page = await chat.open({ search: '?pace=60' })
  await say(page, 'Tell me a story')
  await lastTurn(page).getByText('The keeper').waitFor()
  const log = (of: Page) => of.locator('[role=log]')
  const other = await chat.tab(page)
  await log(other).getByText('This runs in another tab.').waitFor({ state: 'attached' })
  await other.close()
  await page.keyboard.press('Escape')
  await atRest(page)
  await page.setViewportSize({ width: 390, height: 800 })
  await say(page, 'Fetch http://127.0.0.1:9/nothing')
  await page.getByRole('button', { name: 'Inspector' }).click()
  await log(page).getByText('The agent asks you something.').waitFor({ state: 'attached' })
  expect(await log(page).evaluate((it) => it.closest('[inert]') === null)).toBe(true)
})
