import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { furnish } from './support/furnish.ts'
import { checkpoint, detail, eventually, inspected, openThread, status } from './support/inspected.ts'

const inspector = inspected()
const rows = (page: Page) => page.getByRole('tree', { name: 'Checkpoints' }).getByRole('treeitem')

it('lists the threads, latest first, with their bytes, and finds one by what it is called', async () => {
  const page = await inspector.open(furnish)
  const options = page.getByRole('listbox', { name: 'Threads' }).getByRole('option')
  await eventually(() => options.count()).toBe(7)
  expect(await options.first().textContent()).toContain('draft of a letter')
  await page.getByRole('option', { name: /^trip to Lisbon.*17 checkpoints · \d/ }).waitFor()
  await page.getByRole('searchbox', { name: 'Search threads' }).fill('4711')
  await eventually(() => options.allTextContents()).toHaveLength(1)
  expect(await options.first().textContent()).toContain('support case 4711')
  await page.getByRole('searchbox').fill('there is no such')
  await page.getByText('No thread fits.').waitFor()
})

it('calls threads as the app calls them, and finds them by that, also when it is said later', async () => {
  const page = await inspector.open(furnish)
  const options = page.getByRole('listbox', { name: 'Threads' }).getByRole('option')
  await eventually(() => options.count()).toBe(7)
  await page.evaluate(() => {
    const element = document.querySelector('forkpoint-inspector')
    if (element)
      element.titles = new Map([
        ['trip to Lisbon', 'A week of <b>fado</b>'],
        ['gone long ago', 'Nobody'],
      ])
  })
  await page.getByRole('option', { name: /^A week of <b>fado<\/b>.*17 checkpoints/ }).waitFor()
  // Forks name their origin by it, here and in the graph; who has no title keeps the id.
  await page.getByRole('option', { name: /cheaper.*of A week of <b>fado<\/b>/ }).click()
  await page.getByRole('heading', { name: 'cheaper' }).waitFor()
  await page.getByRole('treeitem', { name: 'fork of A week of <b>fado</b>' }).click()
  await page.getByRole('heading', { name: 'A week of <b>fado</b>' }).waitFor()
  await page.getByRole('tab', { name: 'Details' }).click()
  await detail(page).getByText('trip to Lisbon').waitFor()
  for (const text of ['FADO', 'trip to']) {
    await page.getByRole('searchbox', { name: 'Search threads' }).fill(text)
    await page.getByRole('option', { name: /^A week/ }).waitFor()
  }
})

it('names each step by what has brought it, and counts the checkpoints of one namespace', async () => {
  const page = await inspector.open(async () => {
    const thread = window.checkpointer.thread<{ n: number }>('steps')
    await thread.save({ n: 0 }, { node: 'new' })
    await thread.run({ edit: (draft) => void (draft.n = 1) }, async (loop) => {
      loop.state.n = 2
      await loop.save({ node: 'work' })
    })
    await window.checkpointer.thread('steps', { namespace: 'title' }).save({ title: 'Steps' })
  })
  await page.getByRole('option', { name: /^steps.*4 checkpoints/ }).waitFor()
  await openThread(page, 'steps')
  await page.getByRole('region', { name: 'History' }).getByText('in root').waitFor()
  await eventually(() => page.getByRole('region', { name: 'History' }).locator('.count').textContent()).toBe(
    '3',
  )
  await eventually(() => rows(page).locator('.row-title').allTextContents()).toEqual(['work', 'input', 'new'])
})

it('says how much is stored, of how much there may be, and that it is persistent once it is', async () => {
  const page = await inspector.open(furnish)
  const meter = page.getByRole('meter', { name: 'Storage' })
  await eventually(() => meter.getAttribute('aria-valuetext')).toMatch(/^\d+ kB of \d/)
  await page.getByText(/7 threads · 23 checkpoints/).waitFor()
  await page.getByRole('button', { name: 'Persist' }).click()
  await eventually(() => status(page).textContent()).toMatch(/browser (will keep|did not agree)/)
})

it('draws branches and forks as a graph, and leads to a fork and back', async () => {
  const page = await inspector.open(furnish)
  await openThread(page, 'trip to Lisbon')
  await eventually(() => rows(page).count()).toBe(19)
  expect(await lanesOf(page)).toMatchObject({ 17: 1, 16: 2, 14: 1, 6: 1 })
  expect(await page.getByRole('tree', { name: 'Checkpoints' }).locator('path').count()).toBeGreaterThan(17)
  await page.getByRole('treeitem', { name: 'forked to the same in Porto' }).click()
  await page.getByRole('heading', { name: 'the same in Porto' }).waitFor()
  await page.getByRole('treeitem', { name: 'fork of trip to Lisbon' }).click()
  await page.getByRole('heading', { name: 'trip to Lisbon' }).waitFor()
})

/** The level of some rows, by seq. */
const lanesOf = async (page: Page): Promise<Record<string, number>> =>
  Object.fromEntries(
    await rows(page).evaluateAll((all) =>
      all.map(
        (row) => [row.querySelector('.seq')?.textContent, Number(row.getAttribute('aria-level'))] as const,
      ),
    ),
  )

it('shows a state as a tree that is gone into', async () => {
  const page = await inspector.open(furnish)
  await openThread(page, 'trip to Lisbon')
  const tree = page.getByRole('tree', { name: 'State' })
  await tree.getByRole('treeitem', { name: /^plan/ }).click()
  await tree.getByRole('treeitem', { name: /^budget/ }).click()
  await tree.getByRole('treeitem', { name: 'spent: 560', exact: true }).waitFor()
  await tree.getByRole('treeitem', { name: /^seen: Set \{2 items\}/ }).waitFor()
  await tree.getByRole('treeitem', { name: 'at: 1970-01-01T00:00:00.000Z' }).waitFor()
  await tree.getByRole('treeitem', { name: /^plan/ }).click()
  expect(await tree.getByRole('treeitem', { name: /^spent/ }).count()).toBe(0)
})

it('shows what a checkpoint changed: of its parent, and of any other, with the words that differ', async () => {
  const page = await inspector.open(furnish)
  await openThread(page, 'trip to Lisbon')
  await checkpoint(page, 15).click()
  await page.getByRole('tab', { name: 'Changes' }).click()
  await detail(page).getByText('From seq 6 to seq 15').waitFor()
  await checkpoint(page, 16).click()
  await detail(page).getByText('From seq 15 to seq 16').waitFor()
  expect(await detail(page).getByRole('listitem').allTextContents()).toEqual([
    '~changed: plan › cityLisbonPorto',
  ])
  expect(await detail(page).locator('del').textContent()).toBe('Lisbon')
  expect(await detail(page).locator('ins').textContent()).toBe('Porto')
  await page.getByLabel('Compare with seq').fill('5')
  await page.getByRole('button', { name: 'Compare', exact: true }).click()
  await detail(page).getByText('From seq 5 to seq 16').waitFor()
  expect(await detail(page).locator('ins').allTextContents()).toContain('writing')
  // By keyboard: C on a row compares with it.
  await checkpoint(page, 14).click()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('c')
  await detail(page).getByText('From seq 13 to seq 13').waitFor()
  await detail(page).getByText('Nothing differs.').waitFor()
  await page.getByRole('button', { name: 'Parent' }).click()
  await detail(page).getByText('From seq 12 to seq 13').waitFor()
})

it('shows pending writes, runs, and the journal of a run, with what it asks', async () => {
  const page = await inspector.open(furnish)
  await page.getByRole('option', { name: /a run that asks.*waiting/ }).waitFor()
  await openThread(page, 'a run that asks')
  await page.getByRole('tab', { name: 'Runs & writes' }).click()
  const entries = detail(page).getByRole('listitem')
  await entries.filter({ hasText: 'look up flights' }).getByText('done').waitFor()
  await entries.filter({ hasText: 'the model' }).getByText('Shall I book?').waitFor()
  await entries
    .filter({ hasText: /^message-1waiting/ })
    .getByRole('treeitem', { name: /^allow: "book"/ })
    .waitFor()
  await openThread(page, 'trip to Lisbon')
  await entries.filter({ hasText: 'task task-1' }).getByText('TP 1351, 90 €').waitFor()
})

it('shows each namespace of a thread', async () => {
  const page = await inspector.open(async () => {
    await window.checkpointer.thread('parts').save({ of: 'the root' })
    await window.checkpointer.thread('parts', { namespace: 'sub' }).save({ of: 'the part' })
  })
  await openThread(page, 'parts')
  await detail(page).getByText('of: "the root"').waitFor()
  await page.getByLabel('Namespace').selectOption('sub')
  await detail(page).getByText('of: "the part"').waitFor()
})

it('keeps open what was gone into, from checkpoint to checkpoint', async () => {
  const page = await inspector.open(furnish)
  await openThread(page, 'trip to Lisbon')
  await page.getByRole('treeitem', { name: /^plan:/ }).click()
  await page.getByRole('treeitem', { name: /^budget:/ }).click()
  await page.getByRole('treeitem', { name: 'spent: 560', exact: true }).waitFor()
  await checkpoint(page, 14).click()
  await page.getByRole('treeitem', { name: 'spent: 560', exact: true }).waitFor()
  await checkpoint(page, 13).click()
  await page.getByRole('treeitem', { name: 'spent: 520', exact: true }).waitFor()
})

it('follows what other tabs do', async () => {
  const page = await inspector.open(furnish)
  const other = await inspector.tab(page)
  await page.bringToFront()
  await openThread(page, 'trip to Lisbon')
  await other.evaluate(async () => {
    const thread = window.checkpointer.thread<{ plan: string }>('trip to Lisbon')
    await thread.save({ plan: 'made elsewhere' }, { node: 'elsewhere' })
    await thread.fork({ as: 'a fork from elsewhere' })
  })
  await checkpoint(page, 18).waitFor()
  // Nobody has chosen another: so the head is shown.
  await detail(page).getByText('made elsewhere').waitFor()
  await page.getByRole('treeitem', { name: 'forked to a fork from elsewhere' }).waitFor()
  await other.evaluate(async () => {
    const thread = window.checkpointer.thread('trip to Lisbon')
    await thread.putWrites(18, 'task-9', [{ channel: 'late', value: 'come later' }])
    await thread.prune({ keepLast: 3 })
    await window.checkpointer.thread('cheaper').delete()
  })
  // Three, and two forks, of which one goes on from what is gone.
  await eventually(() => rows(page).count()).toBe(5)
  await page.getByRole('tab', { name: 'Runs & writes (1)' }).click()
  await detail(page).getByText('come later').waitFor()
  await eventually(() => page.getByRole('option', { name: 'cheaper' }).count()).toBe(0)
  await other.evaluate(() => window.checkpointer.destroy())
  await page.getByText('Nothing is saved yet.').waitFor()
})

it('takes the colours of an app, whatever the app calls them', async () => {
  const page = await inspector.open(furnish)
  const colour = await page.locator('forkpoint-inspector').evaluate((element) => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(
      ':root { --line: rgb(1, 2, 3) } forkpoint-inspector { --forkpoint-line: var(--line); --forkpoint-accent: red }',
    )
    document.adoptedStyleSheets = [sheet]
    const top = element.shadowRoot?.querySelector('.top')
    return top ? getComputedStyle(top).borderBottomColor : undefined
  })
  expect(colour).toBe('rgb(1, 2, 3)')
})

it('all views of a checkpoint can be seen to be there, however narrow its part of the window is', async () => {
  for (const width of [390, 730, 760, 1200]) {
    const page = await inspector.open(furnish, { viewport: { width, height: 800 } })
    await openThread(page, 'trip to Lisbon')
    await rows(page).first().click()
    const tabs = page.getByRole('tab')
    await eventually(() => tabs.count()).toBeGreaterThan(3)
    const bar = await page.getByRole('tablist').boundingBox()
    const boxes = await Promise.all((await tabs.all()).map((tab) => tab.boundingBox()))
    for (const box of boxes)
      expect(Math.ceil((box?.x ?? 0) + (box?.width ?? Infinity))).toBeLessThanOrEqual(
        Math.ceil((bar?.x ?? 0) + (bar?.width ?? 0)),
      )
  }
})
