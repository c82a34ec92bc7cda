import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { furnish } from './support/furnish.ts'
import { checkpoint, detail, eventually, inspected, openThread, status } from './support/inspected.ts'

const inspector = inspected()
const dialog = (page: Page) => page.getByRole('dialog')
const rows = (page: Page) => page.getByRole('tree', { name: 'Checkpoints' }).getByRole('treeitem')

it('tells the app which checkpoint is looked at, and which to load', async () => {
  const page = await inspector.open(furnish)
  await openThread(page, 'trip to Lisbon')
  await checkpoint(page, 3).click()
  await detail(page).getByRole('button', { name: 'Load' }).click()
  const told = await page.evaluate(() => window.told)
  expect(told.map(({ type, seq }) => [type, seq])).toEqual([
    ['forkpoint-select', 17],
    ['forkpoint-select', 3],
    ['forkpoint-load', 3],
  ])
  expect(told[2]?.state).toMatchObject({ plan: { city: 'Lisbon', budget: { spent: 120 } } })
})

it('forks with an edit of the JSON, and says what is wrong with it before', async () => {
  const page = await inspector.open(furnish)
  await openThread(page, 'trip to Lisbon')
  await checkpoint(page, 12).click()
  await detail(page).getByRole('button', { name: 'Fork …' }).click()
  const text = dialog(page).getByRole('textbox', { name: 'State as JSON' })
  const json = await text.inputValue()
  await text.fill(json.replace('"Lisbon"', '"Madrid'))
  await eventually(() => dialog(page).getByRole('alert').textContent()).toContain('This is not JSON yet')
  await dialog(page).getByRole('button', { name: 'Fork' }).click()
  await eventually(() => dialog(page).getByRole('alert').textContent()).toContain('This is not JSON yet')
  await text.fill(json.replace('"Lisbon"', '"Madrid"'))
  expect(await dialog(page).getByRole('alert').textContent()).toBe('')
  await dialog(page).getByLabel('Thread id').fill('to Madrid')
  await dialog(page).getByRole('button', { name: 'Fork' }).click()
  await page.getByRole('heading', { name: 'to Madrid' }).waitFor()
  const state = await page.evaluate(async () => {
    const { state: forked } =
      (await window.checkpointer.thread<{ seen: Set<string> }>('to Madrid').load()) ?? {}
    return { ...forked, seen: [...(forked?.seen ?? [])] }
  })
  // What JSON cannot say came through the text as it was.
  expect(state).toMatchObject({
    plan: { city: 'Madrid' },
    seen: ['Belém', 'Alfama'],
    at: new Date(0),
  })
  // A taken name is told calmly, and the dialog stays.
  await detail(page).getByRole('button', { name: 'Fork …' }).click()
  await dialog(page).getByLabel('Thread id').fill('cheaper')
  await dialog(page).getByRole('button', { name: 'Fork' }).click()
  await eventually(() => dialog(page).getByRole('alert').textContent()).toContain('CONFLICT')
  await page.keyboard.press('Escape')
  await eventually(() => dialog(page).count()).toBe(0)
})

it('shows what a prune would do before it does it', async () => {
  const page = await inspector.open(furnish)
  await openThread(page, 'trip to Lisbon')
  await eventually(() => rows(page).count()).toBe(19)
  await page.getByRole('button', { name: 'Prune …' }).click()
  await dialog(page).getByText('Nothing would go; 17 checkpoints would stay.').waitFor()
  expect(await dialog(page).getByRole('button', { name: 'Prune' }).isDisabled()).toBe(true)
  await dialog(page).getByLabel('Keep the last').fill('5')
  await dialog(page)
    .getByText(/11 checkpoints would go, .*; 6 would stay/)
    .waitFor()
  expect(await rows(page).count()).toBe(19)
  await dialog(page).getByLabel('Keep the last').fill('-1')
  await dialog(page).getByText('INVALID').waitFor()
  await dialog(page).getByLabel('Keep the last').fill('5')
  await dialog(page).getByRole('button', { name: 'Prune 11 checkpoints' }).click()
  await eventually(() => status(page).textContent()).toMatch(/^Pruned 11 checkpoints, .* 6 kept/)
  await eventually(() => rows(page).count()).toBe(8)
})

it('deletes a checkpoint and a thread, when that was confirmed', async () => {
  const page = await inspector.open(furnish)
  await openThread(page, 'trip to Lisbon')
  await checkpoint(page, 10).click()
  await detail(page).getByRole('button', { name: 'Delete …' }).click()
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  await detail(page).getByRole('button', { name: 'Delete …' }).click()
  await dialog(page).getByRole('button', { name: 'Delete' }).click()
  await eventually(() => status(page).textContent()).toMatch(/^Deleted checkpoint 10/)
  await eventually(() => checkpoint(page, 10).count()).toBe(0)
  await page.getByRole('region', { name: 'History' }).getByRole('button', { name: 'Delete …' }).click()
  await dialog(page).getByText('Its 2 forks stay: cheaper, the same in Porto').waitFor()
  await dialog(page).getByRole('button', { name: 'Delete' }).click()
  await eventually(() => page.getByRole('option', { name: /^trip to Lisbon/ }).count()).toBe(0)
  expect(await page.getByRole('option', { name: 'the same in Porto' }).count()).toBe(1)
})

it('exports to a file, imports it elsewhere, and reports what came of it', async () => {
  const page = await inspector.open(furnish)
  await openThread(page, 'trip to Lisbon')
  await page.getByRole('button', { name: 'Export …' }).click()
  const download = page.waitForEvent('download')
  await dialog(page).getByRole('button', { name: 'Export' }).click()
  const file = await download
  expect(file.suggestedFilename()).toBe('trip-to-Lisbon.forkpoint.gz')
  await eventually(() => status(page).textContent()).toMatch(/^Exported 17 checkpoints/)
  const path = await file.path()

  const empty = await inspector.open()
  await empty.getByRole('button', { name: 'Import …' }).click()
  await dialog(empty).locator('input[type=file]').setInputFiles(path)
  await dialog(empty).getByRole('button', { name: 'Import' }).click()
  await dialog(empty).getByText('Imported 1 thread. The file has 17 checkpoints.').waitFor()
  await dialog(empty).getByRole('button', { name: 'Close' }).click()
  await empty.getByRole('option', { name: 'trip to Lisbon' }).waitFor()
  // Once more: it is here already.
  await empty.getByRole('button', { name: 'Import …' }).click()
  await dialog(empty).locator('input[type=file]').setInputFiles(path)
  await dialog(empty).getByRole('button', { name: 'Import' }).click()
  await eventually(() => dialog(empty).getByRole('alert').textContent()).toContain('CONFLICT')
  await dialog(empty).getByLabel('Threads that are here already').selectOption('rename')
  await dialog(empty).getByRole('button', { name: 'Import' }).click()
  await dialog(empty).getByText('trip to Lisbon → ').waitFor()
  await dialog(empty).getByRole('button', { name: 'Close' }).click()
  // What is damaged is refused with its reason.
  await empty.getByRole('button', { name: 'Import …' }).click()
  const buffer = readFileSync(path).subarray(0, 200)
  await dialog(empty).locator('input[type=file]').setInputFiles({ name: 'cut', mimeType: '', buffer })
  await dialog(empty).getByRole('button', { name: 'Import' }).click()
  await eventually(() => dialog(empty).getByRole('alert').textContent()).toMatch(/^(CORRUPT|INVALID)/)
})

it('says how far a long work is, and stops it', async () => {
  const page = await inspector.open(async () => {
    const thread = window.checkpointer.thread('long')
    for (let n = 0; n < 300; n++) await thread.save({ n, text: 'x'.repeat(20_000 + n) })
  })
  await page.evaluate(() => {
    // Each page of the export waits until it is let on.
    const whole = window.checkpointer.export.bind(window.checkpointer)
    window.checkpointer.export = async function* (ids, options) {
      for await (const piece of whole(ids, options)) {
        yield piece
        await new Promise((resolve) => void setTimeout(resolve, 1_500))
        options?.signal?.throwIfAborted()
      }
    }
  })
  await page.getByRole('button', { name: 'Export all …' }).click()
  await dialog(page).getByRole('button', { name: 'Export' }).click()
  await dialog(page)
    .getByText(/^\d+ checkpoints?, .*B …$/)
    .waitFor()
  await dialog(page).getByRole('button', { name: 'Stop' }).click()
  await eventually(() => dialog(page).getByRole('alert').textContent()).toBe('Stopped.')
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
})

it('checks what is stored', async () => {
  const page = await inspector.open(furnish)
  await page.getByRole('button', { name: 'Check …' }).click()
  await dialog(page).getByRole('button', { name: 'Check' }).click()
  await eventually(() => status(page).textContent()).toMatch(
    /^\d+ rows and states checked: nothing is wrong\./,
  )
  await page.evaluate(() => {
    const problem = {
      kind: 'missing',
      table: 'checkpoints',
      thread: '<b>',
      seq: 4,
      problem: 'it is gone',
    } as const
    window.checkpointer.verify = async () => ({ checked: 9, problems: [problem], acts: [] })
  })
  await page.getByRole('button', { name: 'Check …' }).click()
  await dialog(page).getByRole('button', { name: 'Check' }).click()
  await dialog(page).getByText('missing <b>, seq 4: it is gone').waitFor()
})

it('says what a repair had done when it was stopped', async () => {
  const page = await inspector.open(furnish)
  await page.evaluate(() => {
    const act = { act: 'quarantined', table: 'checkpoints', thread: 'a', seq: 4, what: 'set aside' } as const
    window.checkpointer.verify = async ({ signal, onProgress } = {}) => {
      onProgress?.(9, [act])
      await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
      throw new Error('It was to be stopped.')
    }
  })
  await page.getByRole('button', { name: 'Check …' }).click()
  await dialog(page).getByLabel('What is wrong').selectOption('yes')
  await dialog(page).getByRole('button', { name: 'Check' }).click()
  await dialog(page).getByText('9 checked …').waitFor()
  await dialog(page).getByRole('button', { name: 'Stop' }).click()
  await dialog(page).getByText('Stopped. Done before that:').waitFor()
  await dialog(page).getByText('quarantined a, seq 4: set aside').waitFor()
})

it('shows what cannot be read, with its code', async () => {
  const page = await inspector.open(furnish)
  await openThread(page, 'trip to Lisbon')
  await page.evaluate(() => window.checkpointer.close())
  await checkpoint(page, 2).click()
  await detail(page).getByText('CLOSED', { exact: true }).waitFor()
})
