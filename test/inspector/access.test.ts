import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { furnish } from './support/furnish.ts'
import { checkpoint, detail, inspected, openThread } from './support/inspected.ts'

const inspector = inspected()

interface Result {
  readonly violations: readonly {
    readonly id: string
    readonly nodes: readonly { readonly html: string }[]
  }[]
}

/** What axe has against the page as it stands. */
async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  const result = await page.evaluate<Result>('axe.run()')
  return result.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
}

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  it.each([1280, 390])('axe finds nothing on any screen, %i wide', { timeout: 60_000 }, async (width) => {
    const page = await inspector.open(furnish, { colorScheme, viewport: { width, height: 800 } })
    const isNarrow = width < 720
    const go = async (pane: string): Promise<void> => {
      if (isNarrow) await page.getByRole('button', { name: pane, exact: true }).click()
    }
    const clean = async (what: string): Promise<void> => expect(await violations(page), what).toEqual([])
    await page.getByText(/7 threads/).waitFor()
    await clean('threads')
    await openThread(page, 'trip to Lisbon')
    await clean('history')
    await checkpoint(page, 16).click()
    await page.getByRole('treeitem', { name: /^plan:/ }).click()
    await clean('state')
    for (const tab of ['Changes', 'Runs & writes', 'Details']) {
      await page.getByRole('tab', { name: tab }).click()
      await page.waitForTimeout(50)
      await clean(tab)
    }
    const dialogs = [
      ['Checkpoint', detail(page).getByRole('button', { name: 'Fork …' })],
      ['Checkpoint', detail(page).getByRole('button', { name: 'Delete …' })],
      ['History', page.getByRole('button', { name: 'Prune …' })],
      ['History', page.getByRole('button', { name: 'Export …' })],
      ['Threads', page.getByRole('button', { name: 'Import …' })],
    ] as const
    for (const [pane, press] of dialogs) {
      await go(pane)
      await press.click()
      await page.getByRole('dialog').waitFor()
      await clean(`a dialog of ${pane}`)
      await page.keyboard.press('Escape')
    }
    await go('Threads')
    await page.getByRole('option', { name: 'a run that asks' }).click()
    await go('Checkpoint')
    await page.getByRole('tab', { name: 'Runs & writes' }).click()
    await detail(page).getByText('Shall I book?').waitFor()
    await clean('a run')
  })
})

it('can be used by keyboard alone', async () => {
  const page = await inspector.open(furnish)
  const press = (...keys: string[]) =>
    keys.reduce<Promise<void>>(
      (before, key) => before.then(() => page.keyboard.press(key)),
      Promise.resolve(),
    )
  const focused = () =>
    page.locator('forkpoint-inspector').evaluate((inspected) => {
      const active = inspected.shadowRoot?.activeElement
      return `${active?.role ?? active?.localName} ${active?.ariaLabel ?? active?.textContent}`
    })
  const tabTo = async (name: string): Promise<void> => {
    for (let i = 0; i < 30; i++) {
      await press('Tab')
      if (new RegExp(name).test((await focused()) ?? '')) return
    }
    throw new Error(`Tab does not lead to ${name}.`)
  }
  await page.getByRole('option', { name: /^trip/ }).waitFor()
  await tabTo('^input Search threads')
  await page.keyboard.type('trip')
  await tabTo('^listbox Threads')
  await press('End', 'Enter')
  await page.getByRole('heading', { name: 'trip to Lisbon' }).waitFor()
  await checkpoint(page, 17).waitFor()
  await tabTo('^tree Checkpoints')
  await press('ArrowDown', 'ArrowDown')
  await page.getByRole('heading', { name: /^seq 15/ }).waitFor()
  const active = await page.getByRole('tree', { name: 'Checkpoints' }).getAttribute('aria-activedescendant')
  expect(await page.locator(`#${active}`).textContent()).toContain('15write')
  await detail(page).getByRole('treeitem').first().waitFor()
  await tabTo('^tab State')
  await press('ArrowRight', 'ArrowLeft', 'ArrowLeft')
  expect(await page.getByRole('tab', { name: 'Details' }).getAttribute('aria-selected')).toBe('true')
  await press('ArrowRight', 'ArrowRight', 'ArrowLeft')
  await tabTo('^treeitem messages')
  await press('ArrowRight', 'ArrowRight', 'ArrowDown', 'ArrowRight')
  await page.getByRole('treeitem', { name: /^text: "Step 1/ }).waitFor()
  await press('ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'ArrowDown')
  expect(await focused()).toMatch(/^treeitem plan/)
  await page.keyboard.press('Shift+Tab')
  for (let i = 0; i < 3; i++) await page.keyboard.press('Shift+Tab')
  expect(await focused()).toMatch(/^button (Fork|Load|Delete)/)
  await detail(page).getByRole('button', { name: 'Fork …' }).focus()
  await press('Enter')
  await page.keyboard.type('typed')
  await press('Enter')
  await page.getByRole('heading', { name: 'typed' }).waitFor()
})

it('does not jump while it loads, goes on, or goes wrong', async () => {
  const page = await inspector.open(furnish)
  const boxes = () =>
    Promise.all(
      ['Threads', 'History', 'Checkpoint'].map((name) =>
        page.getByRole('region', { name, exact: true }).boundingBox(),
      ),
    )
  const before = await boxes()
  await openThread(page, 'trip to Lisbon')
  await checkpoint(page, 3).click()
  await detail(page).getByRole('button', { name: 'Load' }).click()
  await page.getByText('Told the app to load seq 3.').waitFor()
  expect(await boxes()).toEqual(before)
  await page.evaluate(() => window.checkpointer.close())
  await page.getByRole('button', { name: 'Persist' }).click()
  await page.getByRole('alert').getByText('CLOSED', { exact: true }).waitFor()
  expect(await boxes()).toEqual(before)
  await page.getByRole('button', { name: 'Dismiss' }).click()
  expect(await page.getByRole('alert').first().textContent()).toBe('')
})

it('fits a width of 390, one pane at a time', async () => {
  const page = await inspector.open(furnish, { viewport: { width: 390, height: 700 } })
  await openThread(page, 'trip to Lisbon')
  await checkpoint(page, 3).click()
  await page.getByRole('heading', { name: /^seq 3/ }).waitFor()
  for (const pane of ['Threads', 'History', 'Checkpoint']) {
    await page.getByRole('button', { name: pane, exact: true }).click()
    await page.getByRole('region', { name: pane, exact: true }).waitFor()
    const beyond = await page.locator('forkpoint-inspector').evaluate((inspected) => {
      const all = [...(inspected.shadowRoot?.querySelectorAll('button, input, h2, [role=tablist]') ?? [])]
      return all
        .filter((each) => each.getBoundingClientRect().right > innerWidth + 0.5)
        .map((each) => each.textContent)
    })
    expect(beyond).toEqual([])
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
})
