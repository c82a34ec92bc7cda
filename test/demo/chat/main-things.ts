import { expect, it } from 'vitest'
import { story } from '../../../demo/chat/models/scripted/texts.ts'
import {
  account,
  answer,
  atRest,
  composer,
  eventually,
  lastTurn,
  say,
  turns,
  type Chats,
} from './support/chats.ts'

const plain = (text: string) => text.replace(/\s+/g, ' ').trim()

/** What must hold in every browser, as a user would do it. */
export function mainThings(chat: Chats): void {
  it('answers a message with the help of a tool, word by word', async () => {
    const page = await chat.open()
    await page.evaluate(() => {
      const lengths: number[] = []
      const look = (): void =>
        void lengths.push(document.querySelector('.transcript')?.textContent.length ?? 0)
      new MutationObserver(look).observe(document.body, {
        subtree: true,
        childList: true,
        characterData: true,
      })
      Object.assign(window, { seen: { lengths } })
    })
    await say(page, 'What is 17% of 4,250?')
    await lastTurn(page).getByText('It comes to 722.5.').waitFor()
    await atRest(page)
    const { lengths } = await page.evaluate(() => (window as unknown as { seen: { lengths: number[] } }).seen)
    expect(new Set(lengths).size).toBeGreaterThan(3)
    const call = turns(page).nth(1).getByRole('group')
    await call.getByText('calculator').click()
    await call.getByText('17% * 4,250 = 722.5').waitFor()
    await page.getByRole('heading', { name: 'What is 17% of 4,250?' }).waitFor()
  })

  it('goes on after a reload in mid-answer, and says so', async () => {
    const page = await chat.open({ search: '?pace=20' })
    await say(page, 'Tell me a story')
    await lastTurn(page).getByText('One autumn').waitFor()
    await page.reload()
    // What had come is there at once, before anything goes on.
    await lastTurn(page).getByText('The keeper of the lighthouse').waitFor()
    await account(page).getByText('The page was reloaded while the agent was at work.').waitFor()
    await atRest(page)
    expect(plain(await answer(page))).toBe(plain(story))
    await lastTurn(page).getByText('Cut off on the way, and gone on with.').waitFor()
    await eventually(() => turns(page).count()).toBe(2)
  })

  it('stops when it is asked to, and keeps what there is', async () => {
    const page = await chat.open()
    await say(page, 'Tell me a story')
    await lastTurn(page).getByText('The keeper').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await lastTurn(page).getByText('Stopped here.').waitFor()
    await atRest(page)
    const before = await answer(page)
    await page.reload()
    await lastTurn(page).getByText('Stopped here.').waitFor()
    expect(await answer(page)).toBe(before)
    expect(story).toContain(before.slice(0, 20))
    expect(plain(before).length).toBeLessThan(plain(story).length)
    await composer(page).waitFor()
  })

  it('branches where a message is edited, and leads back to the other way', async () => {
    const page = await chat.open({ search: '?pace=1' })
    await say(page, 'What is 2 + 3?')
    await lastTurn(page).getByText('It comes to 5.').waitFor()
    await atRest(page)
    await turns(page).first().hover()
    await turns(page).first().getByRole('button', { name: 'Edit and branch' }).click()
    await page.getByRole('textbox', { name: 'Your message, edited' }).fill('What is 2 + 4?')
    await page.keyboard.press('Enter')
    await lastTurn(page).getByText('It comes to 6.').waitFor()
    await atRest(page)
    await page.getByRole('button', { name: 'Previous message' }).click()
    await lastTurn(page).getByText('It comes to 5.').waitFor()
  })

  it('uses each tool once, though its tab was closed in the middle', async () => {
    const page = await chat.open({ search: '?pace=1' })
    await say(page, 'Give me the tour')
    await turns(page).getByText('timer').waitFor()
    const url = page.url()
    await page.close()
    const later = await chat.tab(page, url)
    await account(later).getByText('The tab that ran this was closed or crashed.').waitFor()
    await lastTurn(later).getByText('That was all.').waitFor()
    await atRest(later)
    const tools = await later.locator('.call-tool').allInnerTexts()
    expect(tools).toEqual(['calculator', 'javascript', 'notes', 'timer'])
    await eventually(() => later.getByText('done', { exact: true }).count()).toBe(4)
  })

  it('is followed live in a second tab, which may take over', async () => {
    const first = await chat.open({ search: '?pace=60' })
    await say(first, 'Tell me a story')
    await lastTurn(first).getByText('The keeper').waitFor()
    const second = await chat.tab(first)
    const elsewhere = second.getByRole('region', { name: 'Running elsewhere' })
    await elsewhere.getByText('This runs in another tab.').waitFor()
    const before = (await answer(second)).length
    await eventually(async () => (await answer(second)).length).toBeGreaterThan(before + 20)
    await elsewhere.getByRole('button', { name: 'Take over' }).click()
    await account(second).getByText('This tab has taken over from the other one').waitFor()
    await account(first).getByText('Another tab has taken over.').waitFor()
    await first.getByRole('region', { name: 'Running elsewhere' }).waitFor()
    await second.getByRole('button', { name: 'Stop' }).click()
    await lastTurn(first).getByText('Stopped here.').waitFor()
    expect(plain(await answer(first))).toBe(plain(await answer(second)))
    expect(plain(story).startsWith(plain(await answer(first)))).toBe(true)
  })
}
