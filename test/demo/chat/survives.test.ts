import { randomBytes } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { roomOf, type SiteRoom } from '../../faults/support/quota.ts'
import { account, atRest, chats, composer, eventually, lastTurn, say, turns } from './support/chats.ts'
import { fill, FULL } from './support/fill.ts'

const chat = chats()

/** There is no page around a picture, and so no icon of its own: that is all that may have been said. */
const onlyOfIcon = (): void => expect(chat.complaints().filter((text) => !text.includes('404'))).toEqual([])

/** A page with a first answer, on a site that has room for little more. */
async function inLittleRoom(): Promise<{ readonly page: Page; readonly room: SiteRoom }> {
  const page = await chat.open({ search: 'icon.svg' })
  const room = await roomOf(page)
  await room.limit(3_000_000)
  await page.goto(`${chat.site().url}?pace=1`)
  await say(page, 'What is 2 + 3?')
  await lastTurn(page).getByText('It comes to 5.').waitFor()
  await atRest(page)
  return { page, room }
}

it(
  'says so when the storage is full, keeps what it has, and goes on when there is room',
  { timeout: 120_000 },
  async () => {
    const { page, room } = await inLittleRoom()
    // The message has room; what becomes of it, which is no shorter and cannot be packed, has not.
    await say(page, `Remember ${randomBytes(650_000).toString('base64')}`)
    const told = account(page).getByText(FULL)
    await told.waitFor()
    await turns(page).getByText('It comes to 5.').waitFor()
    // One that has no room at all stays where it was written.
    await page.getByRole('button', { name: 'New conversation' }).click()
    await say(page, 'again '.repeat(500_000))
    await told.waitFor()
    expect((await composer(page).inputValue()).length).toBeGreaterThan(2_000_000)
    await page.getByRole('link', { name: 'What is 2 + 3?' }).click()
    await account(page).getByRole('button', { name: 'Drop old steps' }).click()
    await account(page)
      .getByText(/old steps/)
      .waitFor()
    await room.lift()
    await account(page).getByRole('button', { name: 'Go on' }).click()
    await lastTurn(page).getByText('Noted.').waitFor()
    await atRest(page)
    onlyOfIcon()
  },
)

it(
  'keeps a message where it was written when there is no room for anything at all, and says why',
  { timeout: 120_000 },
  async () => {
    const { page, room } = await inLittleRoom()
    await page.getByRole('button', { name: 'New conversation' }).click()
    await page.getByRole('heading', { name: 'New conversation' }).waitFor()
    await fill(page)
    // Not a byte can be added now, not even for a thread to begin.
    await page.getByRole('button', { name: 'New conversation' }).click()
    await page.getByRole('heading', { name: 'New conversation' }).waitFor()
    await say(page, 'A letter of an hour')
    await account(page).getByText(FULL).waitFor()
    await eventually(() => composer(page).inputValue()).toBe('A letter of an hour')
    // It waits there, wherever one looks meanwhile.
    await page.getByRole('link', { name: 'What is 2 + 3?' }).click()
    await lastTurn(page).getByText('It comes to 5.').waitFor()
    await eventually(() => composer(page).inputValue()).toBe('')
    await page.goBack()
    await eventually(() => composer(page).inputValue()).toBe('A letter of an hour')
    await room.lift()
    await composer(page).press('Enter')
    await lastTurn(page).getByText('I am a script').waitFor()
    await atRest(page)
    await page.getByRole('heading', { name: 'A letter of an hour' }).waitFor()
    expect(await account(page).count()).toBe(0)
    onlyOfIcon()
  },
)
