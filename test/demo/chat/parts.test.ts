import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { atRest, chats, composer, eventually, lastTurn, say } from './support/chats.ts'

const chat = chats()

const toggle = (page: Page) => page.getByRole('button', { name: 'Inspector', exact: true })
const menu = (page: Page) => page.getByRole('button', { name: 'Conversations' })
const list = (page: Page) => page.getByRole('navigation', { name: 'Conversations' })
const panes = (page: Page) =>
  ['Threads', 'History', 'Checkpoint'].map((name) => page.getByRole('region', { name, exact: true }))
const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.ariaLabel ?? document.activeElement?.textContent ?? '')

/** Whether what has the focus can be seen where it stands. */
const isFocusSeen = (page: Page) =>
  page.evaluate(() => {
    const { activeElement: active } = document
    if (!active || active === document.body) return false
    const { x, y, width, height } = active.getBoundingClientRect()
    const top = document.elementFromPoint(x + width / 2, y + height / 2)
    return top !== null && (active === top || active.contains(top))
  })

async function talk(page: Page): Promise<void> {
  await say(page, 'What is 2 + 3?')
  await lastTurn(page).getByText('It comes to 5.').waitFor()
  await atRest(page)
}

it.each([1280, 1300, 1366, 1500, 1600, 1920])(
  'shows all three panes of the inspector in a window of %i, and leads to the other conversations',
  async (width) => {
    const page = await chat.open({ search: '?pace=1', viewport: { width, height: 800 } })
    await talk(page)
    await toggle(page).click()
    await page.getByRole('tree', { name: 'Checkpoints' }).getByRole('treeitem').first().waitFor()
    for (const pane of panes(page)) expect(await pane.isVisible()).toBe(true)
    await page.getByRole('tab', { name: 'Details' }).waitFor()
    // Each tab is seen as a whole, and the buttons above stand in one line.
    expect(
      await page.locator('forkpoint-inspector').evaluate((inspector) => {
        const inside = inspector.shadowRoot
        const middle = ({ top, height }: DOMRect): number => top + height / 2
        const bar = inside?.querySelector('[role=tablist]')
        const tools = [...(inside?.querySelectorAll('.top .tools > *') ?? [])]
        return {
          hiddenTabs: bar ? bar.scrollWidth - bar.clientWidth : undefined,
          lines: new Set(tools.map((tool) => Math.round(middle(tool.getBoundingClientRect())))).size,
        }
      }),
    ).toMatchObject({ hiddenTabs: 0, lines: 1 })
    expect((await composer(page).boundingBox())?.width).toBeGreaterThan(200)
    const isCut = (selector: string) =>
      page.locator(selector).evaluate((element) => element.scrollWidth > element.clientWidth)
    expect(await isCut('.title')).toBe(false)
    await page.getByRole('tab', { name: 'Changes' }).click()
    const middles = await page
      .locator('forkpoint-inspector .compare > *')
      .evaluateAll((all) =>
        all.map((each) =>
          Math.round(each.getBoundingClientRect().top + each.getBoundingClientRect().height / 2),
        ),
      )
    expect(new Set(middles).size).toBe(1)
    await page.keyboard.press('Control+K')
    await eventually(() => focused(page)).toBe('Search conversations')
    await eventually(() => isFocusSeen(page)).toBe(true)
    await list(page).getByRole('link', { name: 'What is 2 + 3?' }).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
  },
)

it('has a menu for the conversations beside the inspector, which takes the focus and gives it back', async () => {
  const page = await chat.open({ search: '?pace=1' })
  await talk(page)
  await page.getByRole('button', { name: 'New conversation' }).click()
  await talk(page)
  expect(await menu(page).count()).toBe(0)
  await toggle(page).click()
  await menu(page).click()
  expect(await menu(page).getAttribute('aria-expanded')).toBe('true')
  await eventually(() => focused(page)).toContain('New conversation')
  await page.keyboard.press('Tab')
  expect(await focused(page)).toBe('Search conversations')
  await page.keyboard.press('Escape')
  await eventually(() => focused(page)).toBe('Conversations')
  expect(await menu(page).getAttribute('aria-expanded')).toBe('false')
  await menu(page).click()
  await list(page).getByRole('link').nth(1).click()
  await eventually(() => focused(page)).toBe('Message')
  await lastTurn(page).getByText('It comes to 5.').waitFor()
  expect(await menu(page).getAttribute('aria-expanded')).toBe('false')
})

it('gives the focus to what covers the conversation on a phone, and Escape sends that away', async () => {
  const page = await chat.open({ search: '?pace=1', viewport: { width: 390, height: 780 } })
  await talk(page)
  await toggle(page).focus()
  await page.keyboard.press('Enter')
  await eventually(() => focused(page)).toBe('Close the inspector')
  await eventually(() => isFocusSeen(page)).toBe(true)
  await page.getByRole('tree', { name: 'Checkpoints' }).getByRole('treeitem').first().waitFor()
  // A dialog of the inspector's is closed first.
  await page.getByRole('button', { name: 'Prune …' }).click()
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('region', { name: 'History' }).waitFor()
  // Nothing below it is reached by Tab.
  for (let i = 0; i < 30; i++) {
    await page.keyboard.press('Tab')
    expect(await focused(page)).not.toBe('Message')
  }
  await page.getByRole('button', { name: 'History', exact: true }).focus()
  await page.keyboard.press('Escape')
  await page.getByRole('complementary', { name: 'Inspector' }).waitFor({ state: 'detached' })
  await eventually(() => focused(page)).toBe('Inspector')
  await menu(page).focus()
  await page.keyboard.press('Enter')
  await eventually(() => focused(page)).toContain('New conversation')
  expect(await menu(page).getAttribute('aria-expanded')).toBe('true')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await eventually(() => focused(page)).toContain('What is 2 + 3?')
  await page.keyboard.press('Escape')
  await eventually(() => focused(page)).toBe('Conversations')
})

it('has its lesser acts behind one button on a phone, and room for the title', async () => {
  const page = await chat.open({ search: '?pace=1', viewport: { width: 390, height: 780 } })
  await talk(page)
  expect(await page.getByRole('button', { name: 'Rename' }).count()).toBe(0)
  const isWhole = (selector: string) =>
    page.locator(selector).evaluate((element) => element.scrollWidth <= element.clientWidth)
  expect(await isWhole('.title')).toBe(true)
  expect(await isWhole('.model')).toBe(true)
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('textbox', { name: 'Title' }).fill('Sums')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Sums' }).waitFor()
  await page.getByRole('button', { name: 'More' }).click()
  await page.keyboard.press('Escape')
  await eventually(() => focused(page)).toBe('More')
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'New conversation' }).waitFor()
  // That it works without a network is told here too.
  await menu(page).click()
  await page.getByText('Ready offline').waitFor()
})

it('opens its lesser acts below their button beside the inspector, too', async () => {
  const page = await chat.open({ search: '?pace=1' })
  await talk(page)
  await toggle(page).click()
  const more = page.getByRole('button', { name: 'More' })
  await more.click()
  const list = await page.locator('.more').boundingBox()
  const button = await more.boundingBox()
  expect((list?.x ?? 0) + (list?.width ?? 0)).toBeCloseTo((button?.x ?? 0) + (button?.width ?? 0), 0)
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('textbox', { name: 'Title' }).fill('Sums')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Sums', level: 1 }).waitFor()
})

it('calls a fork as it was labelled, or as its origin is, here and in the inspector', async () => {
  const page = await chat.open({ search: '?pace=1', viewport: { width: 1700, height: 800 } })
  await talk(page)
  await toggle(page).click()
  const fork = async (label: string): Promise<void> => {
    await page.getByRole('button', { name: 'Fork …' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Label').fill(label)
    await dialog.getByRole('button', { name: 'Fork', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  await fork('')
  await eventually(() => list(page).getByRole('link', { name: 'What is 2 + 3?' }).count()).toBe(2)
  await list(page).getByText('fork').waitFor()
  await fork('Another try')
  await list(page).getByRole('link', { name: 'Another try' }).click()
  await page.getByRole('heading', { name: 'Another try', level: 1 }).waitFor()
  // The inspector calls them the same.
  await page.getByRole('heading', { name: 'Another try', level: 2 }).waitFor()
  const options = page.getByRole('listbox', { name: 'Threads' }).getByRole('option')
  await eventually(() => options.filter({ hasText: 'What is 2 + 3?' }).count()).toBe(3)
  await page.getByRole('searchbox', { name: 'Search threads' }).fill('another')
  await eventually(() => options.count()).toBe(1)
})
