import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { atRest, chats, eventually, lastTurn, say } from './support/chats.ts'
import { failed, useEndpoint } from './support/use-endpoint.ts'

const chat = chats()

/** How far from the end, in pixels. */
const distance = (page: Page) =>
  page
    .getByRole('region', { name: 'Conversation' })
    .evaluate((it) => Math.round(it.scrollHeight - it.scrollTop - it.clientHeight))
const toEnd = (page: Page) => page.getByRole('button', { name: 'To the latest' })

/** More than there is room for. */
async function talk(page: Page): Promise<void> {
  for (let i = 0; i < 3; i++) {
    await say(page, 'Hello')
    await eventually(() => page.getByText('I step aside').count()).toBeGreaterThan(0)
    await atRest(page)
  }
  await eventually(() => distance(page)).toBe(0)
}

/** Goes up, as somebody does who reads. */
async function goUp(page: Page): Promise<void> {
  await page.getByRole('region', { name: 'Conversation' }).hover()
  await page.mouse.wheel(0, -900)
  await toEnd(page).waitFor()
}

it('shows what becomes of a message, wherever one was reading when it was sent', async () => {
  const page = await chat.open({ search: '?pace=1' })
  await talk(page)
  await goUp(page)
  await say(page, 'What is 2 + 3?')
  await lastTurn(page).getByText('It comes to 5.').waitFor()
  await eventually(() => distance(page)).toBe(0)
  await atRest(page)
  // Said otherwise, and answered again, it is seen too.
  await goUp(page)
  const mine = page.locator('.bubble').last()
  await mine.evaluate((bubble) => bubble.scrollIntoView({ block: 'end' }))
  await page.getByRole('button', { name: 'Edit and branch' }).last().click()
  await page.getByRole('textbox', { name: 'Your message, edited' }).fill('Tell me a story')
  await page.keyboard.press('Enter')
  await lastTurn(page).getByText('The clerk took the books').waitFor()
  await eventually(() => distance(page)).toBe(0)
})

it('leads to the latest, and then stands in nobody’s way', async () => {
  const page = await chat.open({ search: '?pace=1' })
  await talk(page)
  const height = await page.locator('.transcript').evaluate((it) => it.scrollHeight)
  await goUp(page)
  expect(await page.locator('.transcript').evaluate((it) => it.scrollHeight)).toBe(height)
  await toEnd(page).click()
  await eventually(() => distance(page)).toBe(0)
  await toEnd(page).waitFor({ state: 'detached' })
})

it.each([1280, 390])(
  'opens what a tool was given where it stands, and shows the next turn all the same, %i wide',
  async (width) => {
    const page = await chat.open({ search: '?pace=1', viewport: { width, height: 700 } })
    await talk(page)
    await say(page, 'Find the first 700 primes')
    await lastTurn(page).getByText('It gave').waitFor()
    await atRest(page)
    await eventually(() => distance(page)).toBe(0)
    const summary = page.locator('summary').last()
    await summary.scrollIntoViewIfNeeded()
    const before = await summary.boundingBox()
    await summary.click()
    await page.locator('details[open] pre').last().waitFor()
    await page.waitForTimeout(300)
    const after = await summary.boundingBox()
    // It may have moved up to make room for what it has opened, but not out of sight.
    expect(after?.y).toBeLessThanOrEqual(before?.y ?? -1)
    expect(after?.y).toBeGreaterThan(40)
    await page.getByRole('button', { name: 'Answer again' }).last().click()
    await eventually(() => page.getByText('2 / 2').count()).toBe(1)
    await atRest(page)
    await eventually(() => distance(page)).toBe(0)
    // And one that is asked about by the agent itself, while the tools of the last one stand open.
    await page.locator('summary').last().click()
    await say(page, 'Fetch https://example.org/')
    await page.getByRole('region', { name: 'The agent asks' }).waitFor()
    await eventually(() => distance(page)).toBe(0)
    await lastTurn(page).getByText('waits for you').waitFor()
    // That it was opened may be told so late that there is a new turn already.
    await page
      .locator('details[open]')
      .last()
      .evaluate((it) => it.dispatchEvent(new Event('toggle')))
    await page.waitForTimeout(100)
    expect(await distance(page)).toBe(0)
  },
)

it('keeps the last message in sight when what stands around it takes more room', async () => {
  const page = await chat.open({ search: '?pace=1', viewport: { width: 1280, height: 780 } })
  await say(page, 'Hello')
  await lastTurn(page).getByText('I step aside').waitFor()
  await atRest(page)
  await say(page, 'Find the first 20 primes')
  await lastTurn(page).getByText('It gave').waitFor()
  await atRest(page)
  await useEndpoint(page, { url: 'http://localhost:9/v1' })
  await say(page, 'What is the weather in Lisbon tomorrow?')
  await failed(page).waitFor()
  const isWhole = async (): Promise<boolean> => {
    const bubble = await page.locator('.bubble').last().boundingBox()
    const foot = await page.locator('.foot').boundingBox()
    return bubble !== null && foot !== null && bubble.y + bubble.height <= foot.y
  }
  await eventually(isWhole).toBe(true)
  await page.getByRole('button', { name: 'Inspector', exact: true }).click()
  await page.getByRole('tree', { name: 'Checkpoints' }).getByRole('treeitem').first().waitFor()
  await eventually(isWhole).toBe(true)
  await eventually(() => distance(page)).toBe(0)
  await page.getByRole('button', { name: 'Close the inspector' }).click()
  await eventually(isWhole).toBe(true)
  expect(chat.complaints().filter((text) => !/ERR_(UNSAFE_PORT|CONNECTION_REFUSED)/.test(text))).toEqual([])
})
