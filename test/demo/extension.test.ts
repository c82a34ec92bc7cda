import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { root } from '../../scripts/doors.ts'
import { loadExtension, type LoadedExtension } from '../extension/real/loaded.ts'

const PARTS = 6
const sentences = Array.from(
  { length: PARTS },
  (_, n) =>
    `Part ${n + 1} of the page says <b>something</b> that is long enough to be worth a note of its own.`,
)
const WEB = `<title>Six &lt;parts&gt;</title>${sentences.map((each) => `<p>${each}</p>`).join('')}`

let extension: LoadedExtension
const complaints: string[] = []

beforeAll(async () => {
  // In a browser without a screen nobody can press the button in the toolbar, which allows it for one tab.
  extension = await loadExtension({
    folder: join(root, 'demo/extension'),
    manifest: { host_permissions: ['http://127.0.0.1/*'] },
  })
}, 60_000)
afterAll(() => extension.close())

async function open(file: string): Promise<Page> {
  const page = await extension.open(file)
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  await page.reload()
  return page
}

/** As a panel that is beside the page: a tab would come in front of it. */
const press = (panel: Page): Promise<void> =>
  panel.locator('#begin').evaluate((button) => (button as HTMLElement).click())

it(
  'takes its notes although its service worker dies, and shows them live',
  { timeout: 120_000 },
  async () => {
    const panel = await open('panel.html')
    await panel.getByText('Open a page that').waitFor()
    await press(panel)
    await panel.getByText('This page may not be read yet.').waitFor()

    const web = await extension.web(WEB)
    await web.bringToFront()
    await press(panel)
    const how = panel.locator('#how')
    const notes = panel.locator('.notes li')
    for (let lives = 1; lives <= 2; lives++) {
      await notes.nth(lives).waitFor({ timeout: 30_000 })
      await extension.stopWorker()
      await how
        .getByText(lives === 1 ? 'taken up again once' : 'taken up again 2 times')
        .waitFor({ timeout: 30_000 })
    }
    await how.getByText(`Done: ${PARTS} of ${PARTS} notes`).waitFor({ timeout: 60_000 })
    expect(await notes.allInnerTexts()).toEqual(sentences.map((each) => each.replace(/<.?b>/g, '')))
    expect(await panel.locator('#notes-title').innerText()).toBe('Six <parts>')
    await panel.locator('#pages').getByText('Six <parts>').waitFor()

    const options = await open('options.html')
    await options.locator('forkpoint-inspector').getByText('finished').first().waitFor({ timeout: 30_000 })

    await panel
      .getByRole('button', { name: 'Forget this page' })
      .evaluate((button) => (button as HTMLElement).click())
    await panel.getByText('Open a page that').waitFor()
    expect(complaints).toEqual([])
  },
)
