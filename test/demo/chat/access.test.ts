import type { Page } from 'playwright-core'
import { afterEach, describe, expect, it } from 'vitest'
import { roomOf } from '../../faults/support/quota.ts'
import { expectClean } from './support/axe.ts'
import { account, atRest, chats, lastTurn, say, turns } from './support/chats.ts'
import { fill, FULL } from './support/fill.ts'
import { serveText, type TextServer } from './support/text-server.ts'
import { failed, useEndpoint } from './support/use-endpoint.ts'

const chat = chats()
const servers: TextServer[] = []

afterEach(() => Promise.all(servers.splice(0).map((each) => each.close())))

const dialog = (page: Page) => page.getByRole('dialog')
const toggle = (page: Page) => page.getByRole('button', { name: 'Inspector', exact: true })

describe.each([
  ['light', 1280],
  ['dark', 1280],
  ['light', 390],
  ['dark', 390],
] as const)('axe finds nothing, %s, %i wide,', (colorScheme, width) => {
  const isPhone = width < 800
  const open = (search = '?pace=1'): Promise<Page> =>
    chat.open({
      colorScheme,
      viewport: { width, height: 800 },
      isMobile: isPhone,
      hasTouch: isPhone,
      search,
      reducedMotion: 'reduce',
    })
  /** What stands behind one button on a phone. */
  const act = async (page: Page, name: string): Promise<void> => {
    if (isPhone) await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('button', { name, exact: true }).click()
  }

  it('on the screens of a conversation', { timeout: 120_000 }, async () => {
    const page = await open()
    const clean = (what: string) => expectClean(page, what)
    await clean('welcome')
    await say(page, 'Give me the tour')
    await turns(page).getByText('working …').first().waitFor()
    await clean('at work')
    await lastTurn(page).getByText('That was all.').waitFor()
    await atRest(page)
    await page.locator('summary').first().click()
    await clean('a conversation')
    await page.getByRole('button', { name: 'Answer again' }).click()
    await page.getByRole('group', { name: 'Branches of this answer' }).waitFor()
    await clean('branches')
    await page.reload()
    await account(page).waitFor()
    await clean('what happened')
    await atRest(page)
    const mine = turns(page)
      .filter({ has: page.locator('.bubble') })
      .last()
    await mine.hover()
    await mine.getByRole('button', { name: 'Edit and branch' }).click()
    await clean('an edit')
    await page.keyboard.press('Escape')
    if (isPhone) {
      await page.getByRole('button', { name: 'More' }).click()
      await clean('more')
      await page.keyboard.press('Escape')
    }
    await act(page, 'Rename')
    await clean('a title')
    await page.keyboard.press('Escape')
    if (isPhone) await page.getByRole('button', { name: 'Conversations' }).click()
    await page.getByText('Ready offline').waitFor()
    await clean('the conversations')
    await page.getByRole('searchbox').fill('no such thing')
    await page.getByText('Nothing was found.').waitFor()
    await clean('an empty search')
    await page.getByRole('searchbox').fill('tour')
    await page.getByText(/\d found/).waitFor()
    await clean('a search')
    await page.getByRole('navigation').getByRole('button', { name: /tour/ }).first().click()
    await page.locator('.transcript mark').first().waitFor()
    await clean('what was found')
    await page.getByRole('button', { name: /^Model:/ }).click()
    await page.getByRole('radio', { name: /^An endpoint/ }).check()
    await clean('models')
    await dialog(page).getByRole('button', { name: 'Cancel' }).click()
    await act(page, 'Delete')
    await clean('a deletion')
    await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  })

  it('on what is told and asked', { timeout: 120_000 }, async () => {
    const server = await serveText()
    servers.push(server)
    const page = await open()
    const clean = (what: string, on = page) => expectClean(on, what)
    await say(page, `Post to ${server.url}slow`)
    await page.getByRole('region', { name: 'The agent asks' }).waitFor()
    await clean('a question')
    await page.getByRole('button', { name: 'Allow once' }).click()
    await expect.poll(() => server.asked.length).toBe(1)
    await page.reload()
    await page.getByText('Was it sent?').waitFor()
    await clean('what became of it')
    await page.getByRole('button', { name: 'Leave it' }).click()
    await atRest(page)
    await page.goto(`${chat.site().url}?pace=60#elsewhere`)
    await say(page, 'Tell me a story')
    await lastTurn(page).getByText('The keeper').waitFor()
    const second = await chat.tab(page)
    await second.getByRole('region', { name: 'Running elsewhere' }).waitFor()
    await clean('a run of another tab', second)
    await second.getByRole('button', { name: 'Take over' }).click()
    await account(second).getByText('This tab has taken over').waitFor()
    await clean('a run that was taken over', second)
    await account(page).getByText('Another tab has taken over').waitFor()
    await clean('a run that was given up')
    await second.getByRole('button', { name: 'Stop' }).click()
    await atRest(second)
    await lastTurn(second).getByText('Stopped here.').waitFor()
    await clean('an answer that was stopped', second)
    await second.close()
    await page.goto(`${chat.site().url}?pace=1#fails`)
    await useEndpoint(page, { url: 'http://localhost:9/v1', key: 'secret' })
    await say(page, 'Hello')
    await failed(page).waitFor()
    await clean('a run that has failed')
    await page.reload()
    await failed(page).getByRole('button', { name: 'Try again' }).click()
    await account(page).getByText('The key of the model').waitFor()
    await clean('a key that is gone')
    await account(page).getByRole('button', { name: 'Give the key' }).click()
    await dialog(page).waitFor()
    await clean('the place for a key')
    expect(chat.complaints().filter((text) => !/ERR_UNSAFE_PORT|ERR_CONNECTION_REFUSED/.test(text))).toEqual(
      [],
    )
  })

  it('when there is no room', { timeout: 120_000 }, async () => {
    const page = await open('icon.svg')
    const room = await roomOf(page)
    await room.limit(3_000_000)
    await page.goto(`${chat.site().url}?pace=1`)
    await fill(page)
    await account(page).getByText(FULL).waitFor()
    await expectClean(page, 'no room')
    expect(chat.complaints().filter((text) => !text.includes('404'))).toEqual([])
  })

  it('when there is no store', async () => {
    const page = await open('icon.svg')
    await page.addInitScript(() => Object.defineProperty(window, 'indexedDB', { value: undefined }))
    await page.goto(chat.site().url)
    await page.getByRole('heading', { name: 'It could not be opened' }).waitFor()
    await page.getByText('There is no IndexedDB here.').waitFor()
    await expectClean(page, 'it could not be opened')
    expect(chat.complaints().filter((text) => !/IndexedDB|404/.test(text))).toEqual([])
  })

  it('in the inspector beside it', { timeout: 120_000 }, async () => {
    const page = await open()
    const clean = (what: string) => expectClean(page, what)
    await say(page, 'What is 2 + 3?')
    await lastTurn(page).getByText('It comes to 5.').waitFor()
    await atRest(page)
    await toggle(page).click()
    const go = async (pane: string): Promise<void> => {
      if (isPhone) await page.getByRole('button', { name: pane, exact: true }).click()
    }
    await page.getByRole('tree', { name: 'Checkpoints' }).getByRole('treeitem').first().waitFor()
    await clean('the inspector')
    await go('Checkpoint')
    await page.getByRole('treeitem', { name: /^messages/ }).click()
    for (const tab of ['State', 'Changes', 'Runs & writes', 'Details']) {
      await page.getByRole('tab', { name: tab }).click()
      await clean(tab)
    }
    for (const [pane, name] of [
      ['Checkpoint', 'Fork …'],
      ['History', 'Prune …'],
      ['History', 'Export …'],
      ['Threads', 'Import …'],
      ['Threads', 'Check …'],
    ] as const) {
      await go(pane)
      await page.getByRole('button', { name }).click()
      await dialog(page).waitFor()
      await clean(name)
      await page.keyboard.press('Escape')
      await dialog(page).waitFor({ state: 'detached' })
    }
    await page.getByRole('button', { name: 'Check …' }).click()
    await dialog(page).getByRole('button', { name: 'Check', exact: true }).click()
    await page.getByText('nothing is wrong').waitFor()
    await clean('what a check has found')
    if (isPhone) return
    await page.getByRole('button', { name: 'Conversations' }).click()
    await page.getByRole('navigation').getByRole('link').first().waitFor()
    await clean('the conversations over it')
  })
})
